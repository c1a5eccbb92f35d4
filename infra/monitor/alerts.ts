import { readQueries } from './queries.ts'

/** A log alert as `infra/alerts/alerts.json` hands it to the template. */
type Alert = {
  readonly name: string
  readonly about: string
  /** Name of a file in `infra/queries`. */
  readonly of: string
  /** What makes a row an alarm. Appended to the query. */
  readonly then: string
  /** 0 is the worst. */
  readonly severity: 1 | 2 | 3
  /** How often, and of which time, as ISO 8601 durations. */
  readonly frequency: 'PT5M' | 'PT15M'
  readonly window: 'PT15M' | 'P1D'
  /** Columns that tell one alarm from another. */
  readonly dimensions: readonly string[]
}

const QUARTER = { frequency: 'PT15M', window: 'PT15M' } as const

/** A cluster at rest is looked at each ten minutes, and a measure arrives up to five minutes after that, and some minutes late. */
export const SILENT_MINUTES = 20

/** Thresholds are those a cluster of any size can live with; whoever wants others changes them here. */
const ALERTS: readonly Alert[] = [
  {
    name: 'no-reconcile',
    about: `no look at a cluster came to its end for ${SILENT_MINUTES} minutes`,
    of: 'heartbeat',
    then: `where minutes >= ${SILENT_MINUTES}`,
    severity: 1,
    frequency: 'PT5M',
    // Of a cluster that is silent for longer there would be no row, and so no alarm.
    window: 'P1D',
    dimensions: ['cluster'],
  },
  {
    name: 'slow-nodes',
    about: 'one pod in twenty waited longer than five minutes for its node',
    of: 'latency-pod-to-node',
    then: 'where p95 > 300',
    severity: 2,
    ...QUARTER,
    dimensions: ['cluster', 'nodePool'],
  },
  {
    name: 'launch-failures',
    about: 'Azure refuses more than three launches in ten',
    of: 'failures-launches',
    then: 'summarize refused = sum(refused), attempts = sum(attempts) by cluster, sku | where attempts >= 3 and todouble(refused) / attempts > 0.3',
    severity: 2,
    ...QUARTER,
    dimensions: ['cluster', 'sku'],
  },
  {
    name: 'unschedulable-pods',
    about: 'pods wait and no machine can be had for them',
    of: 'why-unschedulable',
    then: 'where pods > 0',
    severity: 2,
    ...QUARTER,
    dimensions: ['cluster', 'errorCode'],
  },
  {
    name: 'pool-at-limit',
    about: 'a NodePool uses nine tenths of its limit',
    of: 'cost-limits',
    then: 'where used >= 0.9',
    severity: 3,
    ...QUARTER,
    dimensions: ['cluster', 'nodePool'],
  },
  {
    name: 'poisoned-messages',
    about: 'a message was given up',
    of: 'app-poison',
    then: 'where messages > 0',
    severity: 2,
    ...QUARTER,
    dimensions: ['queue'],
  },
  {
    name: 'slow-terminations',
    about: 'a machine took longer than half an hour to end',
    of: 'disruption-terminations',
    then: 'where longest > 1800',
    severity: 2,
    ...QUARTER,
    dimensions: ['cluster'],
  },
  {
    name: 'function-failures',
    about: 'more than one run in ten of a function fails',
    of: 'app-functions',
    then: 'summarize failed = sum(failed), runs = sum(runs) by function | where runs >= 5 and todouble(failed) / runs > 0.1',
    severity: 3,
    ...QUARTER,
    dimensions: ['function'],
  },
]

/** An alert whose query answers with a row. */
type WrittenAlert = Omit<Alert, 'of' | 'then'> & {
  readonly query: string
  readonly operator: 'GreaterThan'
  readonly threshold: 0
  /** Of the repository. */
  readonly runbook: string
}

export function writtenAlerts(): readonly WrittenAlert[] {
  const queries = readQueries()
  return ALERTS.map(({ of, then, ...alert }) => {
    const query = queries.get(of)
    if (query === undefined) throw new Error(`alert ${alert.name} is of query ${of}, which infra/queries does not have`)
    return {
      ...alert,
      query: `${query.trimEnd()}\n| ${then}`,
      operator: 'GreaterThan',
      threshold: 0,
      runbook: `docs/runbooks/${alert.name}.md`,
    }
  })
}

export function alertsFile(): string {
  return `${JSON.stringify(writtenAlerts(), null, 2)}\n`
}
