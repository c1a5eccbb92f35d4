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

/** What a machine is billed that comes for one pod, and goes after this pod, until nothing of it is under way any more. */
export type MachineBill = { readonly comes: Bill; readonly goes: Bill }

export type Bill = { readonly billed: number; readonly seconds: number }

const HOURS = 730
/** A hundred machines a day come and go. */
const MACHINES = Math.round((100 * HOURS) / 24)

/** Seconds that are billed: of an hour in which nothing happens, and beyond that of a machine that comes and of one that goes. */
export type MeasuredParts = { readonly idleHour: number; readonly comes: number; readonly goes: number }

/** The billed seconds of a month of a cluster with a hundred nodes, of which a hundred come and go each day, one by one. */
export function billedMonth({ idleHour, comes, goes }: MeasuredParts): number {
  return HOURS * idleHour + MACHINES * (comes + goes)
}

/** What a machine is billed beyond what an idle app is billed in the same time, in the middle of some machines. */
export function beyondIdle(bills: readonly MachineBill[], idleHour: number): Omit<MeasuredParts, 'idleHour'> {
  const beyond = ({ billed, seconds }: Bill): number => Math.max(0, billed - (idleHour * seconds) / 3_600)
  const mean = (each: readonly number[]): number => each.reduce((sum, value) => sum + value, 0) / each.length
  return { comes: mean(bills.map(({ comes }) => beyond(comes))), goes: mean(bills.map(({ goes }) => beyond(goes))) }
}
