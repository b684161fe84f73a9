// The report of a run of cases (E-3): report.json, summary.txt, and what got worse against a baseline. Pure.
import { quantile } from '../stats.js';
import type { CaseError } from './case.js';
import type { CaseResult } from './run-case.js';

const REPORT_VERSION = '1';

export interface CaseReport {
  schema_version: typeof REPORT_VERSION;
  preset: string | null;
  cases: (Omit<CaseResult, 'latencies'> & { latency: Latency })[];
  errors: CaseError[];
  totals: {
    cases: number;
    passed: number;
    failed: number;
    /** Mean over the cases. */
    score: number;
    latency: Latency;
  };
  regressions: string[];
  ok: boolean;
}

export interface Latency {
  p50_ms: number | null;
  p95_ms: number | null;
}

export interface Gates {
  /** Absolute: the score may fall by so much. */
  scoreDrop?: number;
  /** Relative: p95 may grow by this share. */
  latencyP95Drop?: number;
}

export function caseReport(
  results: readonly CaseResult[],
  errors: readonly CaseError[],
  preset: string | undefined,
  baseline?: CaseReport,
  gates: Gates = {},
): CaseReport {
  const passed = results.filter((r) => r.passed).length;
  const report: CaseReport = {
    schema_version: REPORT_VERSION,
    preset: preset ?? null,
    cases: results.map(({ latencies, ...r }) => ({ ...r, latency: latencyOf(latencies) })),
    errors: [...errors],
    totals: {
      cases: results.length,
      passed,
      failed: results.length - passed,
      score: results.length === 0 ? 0 : results.reduce((n, r) => n + r.score, 0) / results.length,
      latency: latencyOf(results.flatMap((r) => r.latencies)),
    },
    regressions: [],
    ok: false,
  };
  if (baseline !== undefined) report.regressions = regressions(report, baseline, gates);
  // Against a baseline only what got worse fails; without one every case has to pass.
  const holds = baseline === undefined ? passed === results.length : report.regressions.length === 0;
  report.ok = holds && errors.length === 0 && results.length > 0;
  return report;
}

function latencyOf(ms: readonly number[]): Latency {
  const sorted = [...ms].sort((a, b) => a - b);
  const at = (q: number) => (sorted.length === 0 ? null : Math.round(quantile(sorted, q) * 100) / 100);
  return { p50_ms: at(0.5), p95_ms: at(0.95) };
}

function regressions(now: CaseReport, then: CaseReport, gates: Gates): string[] {
  const found: string[] = [];
  const before = new Map(then.cases.map((c) => [c.name, c]));
  for (const c of now.cases) {
    const was = before.get(c.name);
    if (was?.passed === true && !c.passed) found.push(`${c.name}: passed before, fails now`);
    before.delete(c.name);
  }
  // A case that is gone cannot fail any more.
  for (const [name, was] of before) if (was.passed) found.push(`${name}: passed before, is gone now`);
  const drop = then.totals.score - now.totals.score;
  if (gates.scoreDrop !== undefined && drop > gates.scoreDrop + 1e-9)
    found.push(`score ${now.totals.score.toFixed(3)}, was ${then.totals.score.toFixed(3)}`);
  const [p95, was] = [now.totals.latency.p95_ms, then.totals.latency.p95_ms];
  if (gates.latencyP95Drop !== undefined && p95 !== null && was !== null) {
    if (p95 > was * (1 + gates.latencyP95Drop)) found.push(`latency p95 ${p95} ms, was ${was} ms`);
  }
  return found;
}

/** @throws Error for a report of another version */
export function parseCaseReport(text: string): CaseReport {
  const value = JSON.parse(text) as Partial<CaseReport>;
  if (value.schema_version !== REPORT_VERSION || !Array.isArray(value.cases) || value.totals === undefined)
    throw new Error(`no report with schema_version "${REPORT_VERSION}"`);
  return value as CaseReport;
}

/** summary.txt */
export function summaryText(r: CaseReport): string {
  const { totals } = r;
  const lines = [
    `${totals.passed} of ${totals.cases} cases passed, score ${totals.score.toFixed(3)}` +
      (totals.latency.p95_ms === null ? '' : `, llm.prepare p95 ${totals.latency.p95_ms} ms`) +
      (r.preset === null ? '' : `, preset ${r.preset}`),
  ];
  for (const c of r.cases) {
    lines.push(`${c.passed ? 'pass' : 'FAIL'}  ${c.name}  ${c.score.toFixed(2)}`);
    for (const a of c.assertions) if (!a.passed) lines.push(`      ${a.kind}: ${a.message}`);
  }
  for (const e of r.errors) lines.push(`error ${e.folder}: ${e.message}`);
  for (const text of r.regressions) lines.push(`worse ${text}`);
  return `${lines.join('\n')}\n`;
}
