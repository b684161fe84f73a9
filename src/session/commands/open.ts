// session.open: a new session, or the return to one that is known.

import { fail } from '../../errors.js';
import type { Native } from '../../json/native.js';
import type { Params } from '../../protocol/methods.js';
import type { Format } from '../../providers/types.js';
import {
  type ConfigNotice,
  configError,
  effective,
  loadSettings,
  type Settings,
} from '../../settings/index.js';
import { measureSystem, measureTools } from '../../tokens/request-count.js';
import type { Draft } from '../commit.js';
import { isHeldOut } from '../holdout.js';
import { measured, redactionsOf } from '../intake/intake.js';
import { isNoPrompt, mendStatic } from '../mending/static-mend.js';
import { tellRefused } from '../native/native.js';
import type { Session } from '../session.js';
import { event, type NewEvent, type OwnConfig } from '../state/events.js';
import { refuseStatic } from '../validity/validity.js';

type OpenParams = Params<'session.open'>;

/** What a session runs with, and what of its own block is not used, as events that say so (P-12, P-14). */
function configOf(
  session: Session,
  p: Pick<OpenParams, 'config' | 'preset'>,
): { config: unknown; notices: NewEvent[] } {
  const notices: NewEvent[] = [];
  const config = sessionConfig(session, p, ({ pointer, text }) => {
    notices.push(event('session.notice', { path: `/config${pointer}`, text }));
  });
  return { config, notices };
}

/** The effective configuration of a session: defaults, preset, the daemon's file, the session's own block. */
export function sessionConfig(
  session: Session,
  p: Pick<OpenParams, 'config' | 'preset'>,
  notice: (n: ConfigNotice) => void = () => {},
): unknown {
  const loaded = loadSettings(p.config ?? {}, {
    origin: 'session config',
    scope: 'session',
    under: session.deps.configLayers(),
    ...(p.preset === undefined ? {} : { preset: p.preset }),
  });
  if (!loaded.ok) throw configError(loaded.errors, 'session config', '/config');
  for (const n of loaded.notices) notice(n);
  const { settings } = loaded;
  const config = effective(settings);
  // Held out: what would have been done is told, nothing is.
  if (settings.mode === 'enforce' && isHeldOut(session.key, settings.curated.holdout))
    (config['curated'] as Record<string, unknown>)['observe'] = true;
  return config;
}

/** Of an effective configuration, which is a valid one. */
function settingsOf(config: unknown): { settings: Settings } {
  const loaded = loadSettings(config, { origin: 'session config' });
  if (!loaded.ok) throw configError(loaded.errors, 'session config');
  return loaded;
}

function ownConfig(p: Pick<OpenParams, 'config' | 'preset'>): OwnConfig {
  return {
    ...(p.config === undefined ? {} : { config: p.config }),
    ...(p.preset === undefined ? {} : { preset: p.preset }),
  };
}

/** Takes up a changed file of the daemon: called at turn boundaries, journalled where it makes a difference. */
export function takeUpConfig(session: Session, draft: Draft): void {
  const version = session.deps.configVersion();
  if (version === session.configVersion) return;
  session.configVersion = version;
  const config = sessionConfig(session, session.state.own as Pick<OpenParams, 'config' | 'preset'>);
  if (JSON.stringify(config) !== JSON.stringify(session.state.config))
    draft.push(event('session.config', { config }));
}

/** @returns true when the session existed before */
export async function open(session: Session, p: OpenParams, draft: Draft): Promise<boolean> {
  if (session.state.status === 'fresh' || session.state.status === 'erased') {
    // A session that the client has seen and the journal has not: lost, forgotten or past its retention. A new one in its place
    // would look as if it were there.
    if ((p.last_seq ?? 0) > 0) lost(p.last_seq!, 0);
    await create(session, p, draft);
    return false;
  }
  const { state } = session;
  if (p.format !== state.format) {
    fail(
      'INVALID_MESSAGES',
      `session ${session.key.session} holds ${state.format} messages, not ${p.format}`,
      {
        path: '/format',
      },
    );
  }
  if (p.last_seq !== undefined && p.last_seq > state.seq) {
    lost(p.last_seq, state.seq);
  }
  const { native: before } = session;
  draft.push(
    event('session.resumed', {
      epoch: session.epoch + 1,
      ...(p.model === state.model ? {} : { model: p.model }),
    }),
  );
  if (p.config !== undefined || p.preset !== undefined) {
    const { config, notices } = configOf(session, p);
    if (JSON.stringify(config) !== JSON.stringify(state.config))
      draft.pushAll([event('session.config', { config, own: ownConfig(p) }), ...notices]);
  }
  if (session.native !== before) tellRefused(session, draft);
  await setStatic(session, p, draft);
  return true;
}

function lost(seen: number, end: number): never {
  const ends = end === 0 ? 'there is no such session here' : `the journal ends at ${end}`;
  return fail('SEQ_GAP', `the client has seen seq ${seen}, ${ends}`, { detail: { expected: end } });
}

async function create(session: Session, given: OpenParams, draft: Draft): Promise<void> {
  const { config, notices } = configOf(session, given);
  const { settings } = settingsOf(config);
  const p = hasNoPrompt(settings, given.format, given.system) ? { ...given, system: undefined } : given;
  // The encoding follows the model, which the state does not know yet.
  session.state.model = p.model;
  const counted = session.deps.counted?.(p.model);
  const [system, tools] = await Promise.all([
    p.system === undefined ? undefined : measured(session, measureSystem(p.system.value)),
    p.tools === undefined ? undefined : measured(session, measureTools(p.tools.value as unknown[], p.format)),
  ]);
  draft.push(
    event('session.opened', {
      format: p.format,
      model: p.model,
      ...(p.context_window === undefined ? {} : { context_window: p.context_window }),
      ...(p.max_output_tokens === undefined ? {} : { max_output_tokens: p.max_output_tokens }),
      ...(p.system === undefined
        ? {}
        : {
            system: p.system.text,
            system_tokens: system!.tokens,
            system_features: system!.features,
            ...(p.system.redactions === undefined ? {} : { system_redactions: p.system.redactions }),
          }),
      ...(p.tools === undefined
        ? {}
        : {
            tools: p.tools.text,
            tools_tokens: tools!.tokens,
            tools_features: tools!.features,
            _tools_each: tools!.each,
            ...(p.tools.redactions === undefined ? {} : { tools_redactions: p.tools.redactions }),
          }),
      ...(p.project === undefined ? {} : { project: p.project }),
      config,
      own: ownConfig(p),
    }),
  );
  draft.pushAll(notices);
  mendStatic(session, draft);
  refuseStatic(session, { system: p.system !== undefined, tools: p.tools !== undefined });
  const { window, maxOutput } = session.budget();
  if (window !== undefined && maxOutput > window / 2) {
    draft.push(
      event('session.notice', {
        path: '/max_output_tokens',
        text: `${maxOutput} tokens of output leave less than half of a window of ${window}: half of it is reserved`,
      }),
    );
  }
  if (counted !== undefined) draft.push(event('session.notice', { path: '/model', text: counted }));
  tellRefused(session, draft);
}

/** System and tools as they are sent with a later call: journalled when they differ. */
export async function setStatic(
  session: Session,
  p: Pick<OpenParams, 'system' | 'tools'>,
  draft: Draft,
): Promise<void> {
  const { state } = session;
  const says = !(state.system === undefined && hasNoPrompt(session.settings, state.format, p.system));
  const system = says && p.system?.text !== state.system?.native.text ? p.system : undefined;
  const tools = p.tools?.text === state.tools?.native.text ? undefined : p.tools;
  if (system !== undefined) {
    const { each: _, ...size } = await measured(session, measureSystem(system.value));
    draft.push(event('session.system', { text: system.text, ...size, ...redactionsOf(system) }));
  }
  if (tools !== undefined) {
    const { each, ...size } = await measured(session, measureTools(tools.value as unknown[], state.format));
    draft.push(
      event('session.tools', {
        text: tools.text,
        ...size,
        _each: each,
        ...redactionsOf(tools),
        // Hosts that list their tools in no fixed order would break the cache with every call.
        ...(session.curatesTools ? { _keep_order: true } : {}),
      }),
    );
  }
  mendStatic(session, draft);
  refuseStatic(session, { system: system !== undefined, tools: tools !== undefined });
}

function hasNoPrompt({ mode }: Settings, format: Format, system: Native | undefined): boolean {
  return mode === 'enforce' && isNoPrompt(format, system?.value);
}
