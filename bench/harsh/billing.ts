import type { HarshReport } from '../../local/host/reportToParent.ts'

/** An execution is billed for a second at least (page on billing of the Flex Consumption plan, read in November 2026). */
export const LEAST_MS = 1_000

/**
 * The seconds that Flex Consumption bills: of each instance the time in which it runs at least one function, an execution for a second at least. An
 * execution that has not ended counts to `untilMs`.
 */
export function billedSeconds(reports: readonly HarshReport[], untilMs: number): number {
  const executions = new Map<string, { readonly pid: number; readonly from: number; to: number }>()
  for (const report of reports) {
    if (report.kind === 'began')
      executions.set(report.id, { pid: report.pid, from: report.at, to: Math.max(untilMs, report.at + LEAST_MS) })
    const begun = report.kind === 'ended' ? executions.get(report.id) : undefined
    if (begun !== undefined) begun.to = Math.max(report.at, begun.from + LEAST_MS)
  }
  const ofPid = Map.groupBy(executions.values(), ({ pid }) => pid)
  const billedMs = [...ofPid.values()].map(coveredMs)
  return billedMs.reduce((sum, ms) => sum + ms, 0) / 1_000
}

/** The length of the union of spans. */
export function coveredMs(spans: readonly { readonly from: number; readonly to: number }[]): number {
  let total = 0
  let end = Number.NEGATIVE_INFINITY
  for (const { from, to } of spans.toSorted((one, other) => one.from - other.from)) {
    total += Math.max(0, to - Math.max(from, end))
    end = Math.max(end, to)
  }
  return total
}

export type Outside = { readonly [what in 'creation' | 'eviction' | 'ledger']: { readonly outside: number; readonly all: number } }

/** How many calls of each kind were made while no invocation of their process was open. */
export function outsideInvocations(reports: readonly HarshReport[]): Outside {
  const calls = reports.flatMap((report) => (report.kind === 'call' ? [report] : []))
  const count = (what: keyof Outside) => {
    const those = calls.filter((call) => call.what === what)
    return { outside: those.filter(({ isCovered }) => !isCovered).length, all: those.length }
  }
  return { creation: count('creation'), eviction: count('eviction'), ledger: count('ledger') }
}
