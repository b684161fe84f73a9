// One session in memory: its state, what is derived from it, and the rooms it asks for numbers. No mailbox, no socket.

import { durableBlockWithin } from '../context/durable-block.js';
import { layersOf } from '../curation/layers.js';
import { Stack } from '../curation/stack.js';
import type { Span, Trace } from '../curation/trace.js';
import { type Tariff, tariffOf } from '../economics/tariff.js';
import type { SessionKey } from '../journal/index.js';
import type { Encoding } from '../pool/contract.js';
import { profileOf } from '../providers/profile.js';
import type { Profile } from '../providers/types.js';
import { configError, loadSettings, PLUGIN_IDS, type Settings } from '../settings/index.js';
import { encodingOf } from '../tokens/encoding.js';
import type { SessionDeps } from './deps.js';
import { BoundKey } from './mending/bound-key.js';
import { type Native, nativeOf } from './native/native-plan.js';
import { EditLog } from './request/edit-log.js';
import { Rendering } from './request/rendering.js';
import { freshState } from './state/fresh.js';
import type { SessionState } from './state/state.js';
import { ToldKinds } from './task-kind.js';
import { SessionTopics } from './topics/session-topics.js';
import { StaticFaults } from './validity/static-faults.js';
import { type Budget, budgetOf } from './window/window.js';

/** What stands in the place of the state, and of what follows from it, while a session is parked. */
const PARKED = {
  state: freshState(),
  rendering: new Rendering(),
  edits: new EditLog(),
  topics: new SessionTopics(),
};

const DAY = 24 * 60 * 60_000;

export class Session {
  readonly key: SessionKey;
  readonly deps: SessionDeps;
  state: SessionState;
  /** The request as it goes out. */
  rendering = new Rendering();
  /** What a patch on the agent's own history tells at each call. */
  edits = new EditLog();
  /** Envelopes that a turn.end has told since the last main request, by seq: the next llm.prepare need not. */
  readonly told = new Set<number>();
  /** Summaries that a user has asked to have back, and then asked to have written anew: the later wish holds. */
  readonly rewritten = new Set<number>();
  /** The newest epoch that a rewind has told: the journal that it leaves says an older one. */
  #toldEpoch = 0;
  /** What a provider would refuse of system and tools. */
  readonly staticFaults = new StaticFaults();
  #projection: Rendering | undefined;
  /** Version of the daemon's configuration that this session has taken up. */
  configVersion: number;
  #settings: Settings | undefined;
  #settingsOf: unknown;
  /** The host has been told that its tool_choice is refused. */
  toldForced = false;
  /** The host has been told that its max_tokens leaves no message any room. */
  toldNoRoom = false;
  readonly toldKinds = new ToldKinds();
  /** The newest call that curated, stage by stage. */
  traced: Trace | undefined;
  topics = new SessionTopics();
  readonly boundKey = new BoundKey();
  #stack: Stack | undefined;
  #profile: Profile | undefined;
  #native: { settings: Settings; profile: Profile; native: Native } | undefined;
  #durable: { seq: number; max: number; text: string; tokens: number } | undefined;
  #tariff: { settings: Settings; model: string; day: number; tariff: Tariff } | undefined;
  #budget: { maxTokens: number | undefined; settings: Settings; model: string; budget: Budget } | undefined;

  constructor(key: SessionKey, state: SessionState, deps: SessionDeps) {
    this.key = key;
    this.state = state;
    this.deps = deps;
    this.configVersion = deps.configVersion();
  }

  /** Another state (after a failed call, a rewind): everything derived starts anew. */
  replace(state: SessionState): void {
    this.state = state;
    this.rendering = new Rendering();
    this.edits = new EditLog();
    this.#projection = undefined;
    this.#settings = undefined;
    this.#stack = undefined;
    this.#profile = undefined;
    this.#native = undefined;
    this.#durable = undefined;
    this.topics.restart();
  }

  /** Out of memory: what all parked sessions share stands for the state, and nobody looks at it before `wake`. */
  park(): void {
    this.replace(PARKED.state);
    this.rendering = PARKED.rendering;
    this.edits = PARKED.edits;
    this.topics = PARKED.topics;
    this.traced = undefined;
    this.#settingsOf = undefined;
    this.#tariff = undefined;
    this.#budget = undefined;
  }

  /** Spans of the newest call that curated. */
  get trace(): readonly Span[] {
    return this.traced?.spans ?? [];
  }

  /** As clients know it; with the seq it names one event. */
  get epoch(): number {
    return Math.max(this.state.epoch, this.#toldEpoch);
  }

  /** The same seqs are other events from now on. @param before the epoch until now */
  raiseEpoch(before: number): void {
    this.#toldEpoch = before + 1;
  }

  wake(state: SessionState): void {
    this.topics = new SessionTopics();
    this.replace(state);
  }

  /** What the layers look at: the request, or in observe mode what it would be with all that was decided. */
  get projection(): Rendering {
    if (this.settings.mode !== 'observe') return this.rendering;
    this.#projection ??= new Rendering(true);
    return this.#projection;
  }

  /** The effective settings, from the journalled configuration. */
  get settings(): Settings {
    if (this.#settings === undefined || this.#settingsOf !== this.state.config) {
      const loaded = loadSettings(this.state.config, { origin: `session ${this.key.session}` });
      if (!loaded.ok) throw configError(loaded.errors, `session ${this.key.session}`);
      this.#settings = loaded.settings;
      this.#settingsOf = this.state.config;
      this.#stack = undefined;
      // The rules of its roles may be others now.
      if (this.#profile !== undefined) this.rendering.forgetRules();
      this.#profile = undefined;
    }
    return this.#settings;
  }

  /** The layers of the present settings; they keep indexes, so they live as long as the settings they serve. */
  get stack(): Stack {
    const { settings } = this;
    const { delegated } = this.native.plan;
    this.#stack ??= new Stack(layersOf(settings, delegated));
    return this.#stack;
  }

  /** What is left to the provider's own editing; nothing unless the settings say so and the model offers it. */
  get native(): Native {
    const { settings, profile } = this;
    if (this.#native?.settings !== settings || this.#native.profile !== profile) {
      const { window, threshold } = this.budget();
      this.#native = { settings, profile, native: nativeOf(settings, profile, window, threshold) };
      // Another model may offer more or less: the layers that the provider stands in for change with it.
      this.#stack = undefined;
    }
    return this.#native.native;
  }

  /** Does some layer decide which tools are listed? */
  get curatesTools(): boolean {
    const { mode, active, plugins } = this.settings;
    const prunes = active.has(PLUGIN_IDS.toolDefPruner) && plugins.toolDefPruner.enabled;
    return mode === 'enforce' && (prunes || active.has(PLUGIN_IDS.progressive));
  }

  get profile(): Profile {
    const { alternation, singleSystem } = this.settings.curated;
    if (this.#profile?.model === this.state.model) return this.#profile;
    // Another model has other rules: what was walked by the old ones is walked again.
    if (this.#profile !== undefined) this.rendering.forgetRules();
    this.#profile = profileOf(this.state.format, this.state.model, {
      ...(alternation === undefined ? {} : { alternation }),
      ...(singleSystem === undefined ? {} : { singleSystem }),
    });
    return this.#profile;
  }

  get encoding(): Encoding {
    return encodingOf(this.state.model).encoding;
  }

  /** Window, reserve and threshold; asked several times a call, so the last answer is kept. */
  budget(maxTokens?: number): Budget {
    const { settings, state } = this;
    const kept = this.#budget;
    if (kept?.maxTokens === maxTokens && kept?.settings === settings && kept?.model === state.model)
      return kept.budget;
    const budget = budgetOf(state, settings, maxTokens);
    this.#budget = { maxTokens, settings, model: state.model, budget };
    return budget;
  }

  /** The durable block as the model reads it, within its budget. */
  durableBlock(): { text: string; tokens: number } {
    const { durable, durableSeq: seq } = this.state;
    const max = this.settings.curated.durable.maxTokens;
    if (this.#durable?.seq !== seq || this.#durable.max !== max) {
      const text = durableBlockWithin(durable, max, (t) => this.countShort(t));
      this.#durable = { seq, max, text, tokens: text === '' ? 0 : this.countShort(text) };
    }
    return this.#durable;
  }

  /** Prices and cache rules. @param at epoch ms; rows are by the day */
  tariff(at: number): Tariff {
    const { settings, state } = this;
    const day = Math.floor(at / DAY);
    const kept = this.#tariff;
    if (kept?.settings === settings && kept.model === state.model && kept.day === day) return kept.tariff;
    const { modelClass, minCacheTokens } = this.profile;
    const { prices, cacheTtl } = settings.curated;
    const tariff = tariffOf({
      format: state.format,
      model: state.model,
      at,
      prices,
      selfHosted: modelClass === 'SH',
      minCacheTokens,
      ...(cacheTtl === undefined ? {} : { cacheTtl }),
    });
    this.#tariff = { settings, model: state.model, day, tariff };
    return tariff;
  }

  countShort(text: string): number {
    return this.deps.countShort(text, this.encoding);
  }
}
