import { readQueries } from './queries.ts'

/** A condition that raises an alert. */
type Condition = {
  /** Also the name of its page in `docs/runbooks`. */
  readonly name: string
  /** Name of its query: a file in `infra/queries`. */
  readonly of: string
  /** Filter for the rows that raise the alert. Appended to the query. */
  readonly then: string
  /** Columns that tell one alarm from another. */
  readonly dimensions: readonly string[]
}

/**
 * A log alert as `infra/alerts/alerts.json` passes it to the template. Azure bills each rule, not the data that it reads. So conditions of the same
 * severity, for the same person, share a rule.
 */
type Alert = {
  readonly name: string
  readonly about: string
  /** 0 is the worst. */
  readonly severity: 1 | 2 | 3
  /** How often the rule runs and how much time it reads, as ISO 8601 durations. */
  readonly frequency: 'PT5M' | 'PT15M'
  readonly window: 'PT15M' | 'PT2H' | 'P1D'
  readonly conditions: readonly Condition[]
}

const QUARTER = { frequency: 'PT15M', window: 'PT15M' } as const

/** A cluster at rest is looked at every ten minutes. A measure is sent up to five minutes later, and arrives some minutes after that. */
export const SILENT_MINUTES = 20

/**
 * A message that a running process left in a queue does not wait this long: the process takes its messages back. Queues are measured twice a minute.
 * A notice about a spot machine expires soon, so it must be counted before.
 */
export const WAITING_MS = 5 * 60_000

/** Thresholds that fit a cluster of any size. For other thresholds, change them here. */
const ALERTS: readonly Alert[] = [
  {
    name: 'no-reconcile',
    about: `no look at a cluster came to its end for ${SILENT_MINUTES} minutes, or Azure does not let the app make or end machines`,
    severity: 1,
    frequency: 'PT5M',
    // A cluster that is silent for longer than the window has no row, and so no alert.
    window: 'P1D',
    conditions: [
      { name: 'no-reconcile', of: 'heartbeat', then: `where minutes >= ${SILENT_MINUTES}`, dimensions: ['cluster'] },
      // A refused launch is tried again every minute, for as long as pods need the machine.
      { name: 'launch-forbidden', of: 'failures-forbidden', then: 'where newest > now() - 10m', dimensions: ['cluster', 'nodePool'] },
    ],
  },
  {
    name: 'machines',
    about:
      'pods wait longer than five minutes for nodes, or no machine can be had for them, Azure refuses three launches in ten, or a machine ends for half an hour',
    severity: 2,
    ...QUARTER,
    conditions: [
      { name: 'slow-nodes', of: 'latency-pod-to-node', then: 'where p95 > 300', dimensions: ['cluster', 'nodePool'] },
      { name: 'slow-terminations', of: 'disruption-terminations', then: 'where longest > 1800', dimensions: ['cluster'] },
      {
        name: 'launch-failures',
        of: 'failures-launches',
        then: 'summarize refused = sum(refused), attempts = sum(attempts) by cluster, sku | where attempts >= 3 and todouble(refused) / attempts > 0.3',
        dimensions: ['cluster', 'sku'],
      },
      { name: 'unschedulable-pods', of: 'why-unschedulable', then: 'where pods > 0', dimensions: ['cluster', 'errorCode'] },
    ],
  },
  {
    name: 'limits',
    about: 'nine tenths of the limit of a NodePool or of a quota of Azure are used, or Azure refuses calls for there being too many',
    severity: 3,
    frequency: 'PT15M',
    // An alert about an unchanged quota is sent once an hour.
    window: 'PT2H',
    conditions: [
      { name: 'pool-at-limit', of: 'cost-limits', then: 'where used >= 0.9', dimensions: ['cluster', 'nodePool'] },
      { name: 'quota-nearly-used', of: 'failures-quota', then: 'where share >= 0.9', dimensions: ['region', 'family'] },
      {
        name: 'azure-throttled',
        of: 'azure-throttling',
        // Some throttled calls, which are made again a little later, are normal.
        then: 'where refused > 10 and TimeGenerated > now() - 30m\n| extend service = "Azure Resource Manager"',
        dimensions: ['service'],
      },
    ],
  },
  {
    name: 'messages',
    about: 'work fails at every try, a message waits for longer than five minutes, or decisions leave out objects that they fail with',
    severity: 2,
    ...QUARTER,
    conditions: [
      { name: 'failing-work', of: 'app-failing', then: 'where times > 0', dimensions: ['cluster', 'errorCode'] },
      { name: 'waiting-messages', of: 'app-queues', then: `where waitingMs > ${WAITING_MS}`, dimensions: ['queue'] },
      { name: 'left-out-objects', of: 'why-left-out', then: 'where objects > 0', dimensions: ['cluster', 'objectKind'] },
    ],
  },
  {
    name: 'function-failures',
    about: 'more than one run in ten of a function fails',
    severity: 3,
    ...QUARTER,
    conditions: [
      {
        name: 'function-failures',
        of: 'app-functions',
        then: 'summarize failed = sum(failed), runs = sum(runs) by function | where runs >= 5 and todouble(failed) / runs > 0.1',
        dimensions: ['function'],
      },
    ],
  },
]

/** An alert that fires if its query returns a row. */
type WrittenAlert = Omit<Alert, 'conditions'> & {
  readonly query: string
  readonly dimensions: readonly string[]
  readonly operator: 'GreaterThan'
  readonly threshold: 0
  /** Paths of pages of the repository. */
  readonly runbook: string
}

export type WrittenCondition = { readonly alert: string; readonly condition: string; readonly query: string; readonly runbook: string }

/** Returns each condition by itself. Its query returns a row for each alarm. */
export function writtenConditions(): readonly WrittenCondition[] {
  return ALERTS.flatMap(({ name: alert, conditions }) =>
    conditions.map((each) => ({ alert, condition: each.name, query: queryOf(each), runbook: runbookOf(each) })),
  )
}

export function writtenAlerts(): readonly WrittenAlert[] {
  return ALERTS.map(({ conditions, ...alert }) => ({ ...alert, ...asked(conditions), operator: 'GreaterThan', threshold: 0 }))
}

/**
 * Joins the queries of a rule. The queries of several conditions return the same two columns: the condition, and what it is about. `isfuzzy` allows
 * for a table that has no row yet and does not exist.
 */
function asked(conditions: readonly Condition[]): Pick<WrittenAlert, 'query' | 'dimensions' | 'runbook'> {
  const [only] = conditions
  if (only !== undefined && conditions.length === 1) return { query: queryOf(only), dimensions: only.dimensions, runbook: runbookOf(only) }
  const parts = conditions.map((each) => {
    const about = each.dimensions.flatMap((name, at) => (at === 0 ? [name] : ['" "', name])).join(', ')
    return `(\n${queryOf(each)}\n| project condition = "${each.name}", about = strcat(${about})\n)`
  })
  return {
    query: `union isfuzzy=true\n${parts.join(',\n')}`,
    dimensions: ['condition', 'about'],
    runbook: `${conditions.map(runbookOf).join(' or ')}, as the dimension condition says`,
  }
}

function queryOf({ name, of, then }: Condition): string {
  const query = readQueries().get(of)
  if (query === undefined) throw new Error(`condition ${name} is of query ${of}, which infra/queries does not have`)
  return `${query.trimEnd()}\n| ${then}`
}

function runbookOf({ name }: Condition): string {
  return `docs/runbooks/${name}.md`
}

export function alertsFile(): string {
  return `${JSON.stringify(writtenAlerts(), null, 2)}\n`
}
