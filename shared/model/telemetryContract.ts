// All events, spans and fields that the app sends to Azure Monitor. Its metrics are in `metrics.ts`. `docs/monitoring.md` lists the same. Queries,
// alerts and the workbook may use these names only.

/** Text properties of events. */
export const PROPERTIES = {
  cluster: 'id of the cluster',
  decision: 'id of the decision, as the status of the cluster lists it',
  nodePool: 'name of the NodePool',
  nodeClaim: 'name of the NodeClaim',
  sku: 'machine size',
  zone: 'zone of the machine; empty in a region without zones',
  capacityType: '`on-demand`, `spot` or `reserved`',
  reason: 'why it was done: a disruption reason, or what Azure said of an interruption',
  errorCode: 'a code of the list of errors; empty where nothing failed',
  key: 'what work is about: `decide`, `compact`, `claim/` and the name of a NodeClaim, or `interruption`',
} as const

/** Numeric properties of events. */
export const MEASUREMENTS = {
  pods: { unit: 'pods', about: 'pods that are planned for the machine' },
  alternatives: { unit: 'sizes', about: 'machine sizes that would serve as well' },
  decideMs: { unit: 'ms', about: 'from the snapshot to the decision' },
  pricePerHour: { unit: 'USD/h', about: 'price of the machine with its disk' },
  diskPricePerHour: { unit: 'USD/h', about: 'the part of `pricePerHour` that is for the managed disk; absent where the disk is ephemeral' },
  nextBestPricePerHour: { unit: 'USD/h', about: 'price of what comes next' },
  savingsPerHour: { unit: 'USD/h', about: 'price of the removed machine' },
  podPendingSeconds: { unit: 's', about: 'from the creation of the oldest pod that is planned for the machine to now' },
  launchSeconds: { unit: 's', about: 'from the decision to the machine accepted by Azure' },
  registrationSeconds: { unit: 's', about: 'from the machine accepted to its node registered' },
  initializationSeconds: { unit: 's', about: 'from the node registered to the node initialized' },
  readySeconds: { unit: 's', about: 'from the NodeClaim made to the node initialized' },
  terminationSeconds: { unit: 's', about: 'from the deletion of the NodeClaim to its end' },
  lifetimeSeconds: { unit: 's', about: 'from the NodeClaim made to its end' },
  unavailableSeconds: { unit: 's', about: 'how long the offering is not used' },
  refusals: { unit: 'times', about: 'how often Azure refused the offering in a row' },
  reactionSeconds: { unit: 's', about: 'from the notice read to the node closed, the claim ended and evictions sent' },
} as const

export type PropertyName = keyof typeof PROPERTIES
export type MeasurementName = keyof typeof MEASUREMENTS

type EventShape = {
  readonly about: string
  readonly properties: readonly PropertyName[]
  readonly measurements: readonly MeasurementName[]
}

/** Events: each occurrence is sent once, never sampled or aggregated. Only events may name claims and decisions. */
export const EVENTS = {
  'provisioning.decision': {
    about: 'a decision asks for one machine',
    properties: ['cluster', 'decision', 'nodePool', 'nodeClaim', 'sku', 'zone', 'capacityType'],
    measurements: ['pods', 'alternatives', 'decideMs', 'pricePerHour', 'diskPricePerHour', 'nextBestPricePerHour'],
  },
  'nodeclaim.launch': {
    about: 'Azure accepted a machine, or refused it with `errorCode`',
    properties: ['cluster', 'decision', 'nodePool', 'nodeClaim', 'sku', 'zone', 'capacityType', 'errorCode'],
    measurements: ['launchSeconds', 'pricePerHour', 'diskPricePerHour'],
  },
  'nodeclaim.failed': {
    about: 'a step of a NodeClaim failed as a whole, for a cause that a person has to mend, or at every try',
    properties: ['cluster', 'nodePool', 'nodeClaim', 'errorCode'],
    measurements: [],
  },
  'nodeclaim.registered': {
    about: 'the machine joined as a node',
    properties: ['cluster', 'decision', 'nodePool', 'nodeClaim', 'sku', 'zone', 'capacityType'],
    measurements: ['registrationSeconds'],
  },
  'nodeclaim.initialized': {
    about: 'the node can take pods',
    properties: ['cluster', 'decision', 'nodePool', 'nodeClaim', 'sku', 'zone', 'capacityType'],
    measurements: ['initializationSeconds', 'readySeconds', 'podPendingSeconds'],
  },
  'nodeclaim.terminated': {
    about: 'the machine and its claim are gone',
    properties: ['cluster', 'decision', 'nodePool', 'nodeClaim', 'sku', 'zone', 'capacityType'],
    measurements: ['terminationSeconds', 'lifetimeSeconds'],
  },
  'offering.unavailable': {
    about: 'a size is not used for a while, in all zones or in one zone',
    properties: ['cluster', 'sku', 'zone', 'capacityType', 'errorCode'],
    measurements: ['unavailableSeconds', 'refusals'],
  },
  'disruption.decision': {
    about: 'a node is removed because it costs more than needed, drifted, expired or is unhealthy',
    properties: ['cluster', 'nodePool', 'nodeClaim', 'sku', 'zone', 'capacityType', 'reason'],
    measurements: ['savingsPerHour'],
  },
  'interruption.handled': {
    about: 'Azure takes a machine away, and its node was closed',
    properties: ['cluster', 'nodePool', 'nodeClaim', 'sku', 'zone', 'capacityType', 'reason'],
    measurements: ['reactionSeconds'],
  },
  'work.failed': {
    about: 'work failed at every try; the timer finds it again',
    properties: ['cluster', 'key', 'errorCode'],
    measurements: [],
  },
} as const satisfies { readonly [name: string]: EventShape }

export type EventName = keyof typeof EVENTS

/** All properties and measurements of an event. `undefined`: the event has no value for it this time. */
export type EventFields<Name extends EventName> = {
  readonly [Each in (typeof EVENTS)[Name]['properties'][number]]: string | undefined
} & { readonly [Each in (typeof EVENTS)[Name]['measurements'][number]]: number | undefined }

/**
 * The stages of a machine from its pods to Ready, as spans of one trace in the order of time. The first span is the parent of the others. Never
 * sampled.
 */
export const SPANS = {
  pending: {
    from: 'the oldest pod that is planned for the machine was created, at most a day ago',
    to: 'the shim saw the first change of the batch',
  },
  window: { from: 'the shim saw the first change of the batch', to: 'the look at the cluster starts' },
  decide: { from: 'the look at the cluster starts', to: 'decision made' },
  claim: { from: 'decision made', to: 'NodeClaim created' },
  nic: { from: 'the launch that made the machine starts', to: 'the network interface is there' },
  vm: { from: 'the network interface is there', to: 'Azure took the machine' },
  boot: { from: 'Azure took the machine', to: 'its node is there' },
  register: { from: 'the node is there', to: 'the node is known as the machine of the claim' },
  initialize: { from: 'the node is known as the machine of the claim', to: 'the node can take pods' },
} as const

export type SpanName = keyof typeof SPANS

/** Properties of every span. */
export const SPAN_PROPERTIES = ['cluster', 'nodePool', 'nodeClaim'] as const satisfies readonly PropertyName[]

export type SpanFields = { readonly [Each in (typeof SPAN_PROPERTIES)[number]]: string | undefined }

/** Fields of a log line that are sent to Azure Monitor. Other fields stay on the machine. */
export const LOG_FIELDS = {
  code: 'a code of the list of errors',
  cluster: 'id of the cluster',
  nodePool: 'name of the NodePool',
  claim: 'name of the NodeClaim',
  node: 'name of the node',
  decision: 'id of the decision',
  work: 'the timer whose work it was',
  queue: 'name of the queue',
  path: 'field of the input that is wrong',
  eventId: 'id of the event from Azure',
} as const
