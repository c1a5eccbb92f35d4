// What the workbook shows.

/** How the rows of a query are shown. */
type Picture = 'table' | 'timechart' | 'barchart'

export type Item = {
  readonly title: string
  /** Name of a file in `infra/queries`. */
  readonly of: string
  readonly picture: Picture
  /** Columns of a chart: `x` is the time or the name along the axis, `y` the values, `by` the name of a line. */
  readonly columns?: { readonly x: string; readonly y: readonly string[]; readonly by?: string }
}

export type Tab = { readonly name: string; readonly about: string; readonly items: readonly Item[] }

const TIME = 'TimeGenerated'

/** The questions of an operator, in the usual order. */
export const TABS: readonly Tab[] = [
  {
    name: 'Overview',
    about: 'Nodes of each pool, and how looks at each cluster ended.',
    items: [
      {
        title: 'Nodes by pool',
        of: 'overview-nodes',
        picture: 'timechart',
        columns: { x: TIME, y: ['nodes'], by: 'nodePool' },
      },
      {
        title: 'Looks by outcome',
        of: 'overview-reconciles',
        picture: 'timechart',
        columns: { x: TIME, y: ['looks'], by: 'outcome' },
      },
      { title: 'Minutes since the last look', of: 'heartbeat', picture: 'table' },
    ],
  },
  {
    name: 'Latency by stage',
    about: 'Seconds from a pod that waits to a node that can take it.',
    items: [
      {
        title: 'From pod to node, 95 of 100',
        of: 'latency-pod-to-node',
        picture: 'timechart',
        columns: { x: TIME, y: ['p95'], by: 'nodePool' },
      },
      { title: 'By stage, 95 of 100', of: 'latency-by-stage', picture: 'timechart', columns: { x: TIME, y: ['p95'], by: 'stage' } },
      { title: 'Stages of each machine', of: 'latency-trace', picture: 'table' },
    ],
  },
  {
    name: 'Why',
    about: 'What each decision bought and what the next best choice would have cost; pods without a machine, by reason.',
    items: [
      { title: 'Machines by decision', of: 'why-by-decision', picture: 'table' },
      {
        title: 'Pods without a machine',
        of: 'why-unschedulable',
        picture: 'timechart',
        columns: { x: TIME, y: ['pods'], by: 'errorCode' },
      },
    ],
  },
  {
    name: 'Failures and offerings',
    about: 'Launches that Azure refused, offerings that are avoided for it, and quotas.',
    items: [
      { title: 'Launches by size and zone', of: 'failures-launches', picture: 'table' },
      { title: 'Refused for want of a right', of: 'failures-forbidden', picture: 'table' },
      { title: 'Offerings avoided now', of: 'failures-offerings', picture: 'table' },
      { title: 'Cores in use by quota', of: 'failures-quota', picture: 'table' },
    ],
  },
  {
    name: 'Cost and savings',
    about: 'US dollars an hour at list prices.',
    items: [
      { title: 'Cost by pool', of: 'cost-hourly', picture: 'timechart', columns: { x: TIME, y: ['usd'], by: 'nodePool' } },
      { title: 'Saved by reason', of: 'cost-savings', picture: 'timechart', columns: { x: TIME, y: ['usdPerHour'], by: 'reason' } },
      { title: 'Limits in use', of: 'cost-limits', picture: 'barchart', columns: { x: 'nodePool', y: ['used'] } },
    ],
  },
  {
    name: 'Disruption',
    about: 'Machines that Joiner took away, and how long they took to end.',
    items: [
      { title: 'Machines taken away', of: 'disruption', picture: 'table' },
      {
        title: 'Longest termination, in seconds',
        of: 'disruption-terminations',
        picture: 'timechart',
        columns: { x: TIME, y: ['longest'], by: 'cluster' },
      },
    ],
  },
  {
    name: 'Interruptions',
    about: 'Machines that Azure took away.',
    items: [
      {
        title: 'Interruptions by size',
        of: 'interruptions',
        picture: 'timechart',
        columns: { x: TIME, y: ['interruptions'], by: 'sku' },
      },
    ],
  },
  {
    name: 'Azure API',
    about: 'How long Azure takes to answer, and how many calls it still takes.',
    items: [
      { title: 'Mean by step', of: 'azure-api', picture: 'timechart', columns: { x: TIME, y: ['meanMs'], by: 'step' } },
      { title: 'Calls refused, and calls left', of: 'azure-throttling', picture: 'table' },
    ],
  },
  {
    name: 'App health',
    about: 'Runs of functions, work that failed at every try, messages that wait, and warnings.',
    items: [
      { title: 'Runs by function', of: 'app-functions', picture: 'timechart', columns: { x: TIME, y: ['runs'], by: 'function' } },
      {
        title: 'Longest wait of a message, in milliseconds',
        of: 'app-queues',
        picture: 'timechart',
        columns: { x: TIME, y: ['waitingMs'], by: 'queue' },
      },
      { title: 'Work that failed at every try', of: 'app-failing', picture: 'table' },
      { title: 'Objects left out of decisions', of: 'why-left-out', picture: 'table' },
      { title: 'Warnings and errors', of: 'app-log', picture: 'table' },
    ],
  },
  { name: 'Audit', about: 'The life of each claim.', items: [{ title: 'Claims, one line an event', of: 'audit', picture: 'table' }] },
]
