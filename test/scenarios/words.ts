/** The words of the notation by type. */
import type { DecisionSettings } from '../../shared/model/clusterSnapshot.ts'
import type { PodDisruptionBudget } from '../../shared/model/workloads.ts'
import type {
  AffinityGiven,
  BufferGiven,
  ClaimWant,
  ClassGiven,
  Given,
  NodeGiven,
  OverlayGiven,
  PodGiven,
  PoolGiven,
  Scenario,
  SpreadGiven,
  Step,
  VolumeClaimGiven,
  VolumeGiven,
  Want,
  WorkloadGiven,
} from './scenario.ts'

type Promised = Exclude<NonNullable<Given['promised']>[string], string>
type Start = NonNullable<PodGiven['start']>[number]

/** The words of a type. The compiler reports a missing or surplus word. */
export type WordsOf<Thing> = { readonly [Key in keyof Required<Thing>]: true }

export const SCENARIO: WordsOf<Scenario> = { given: true, want: true, firstFit: true, then: true }
export const STEP: WordsOf<Step> = { stage: true, bound: true, gone: true, given: true, want: true, firstFit: true }
export const GIVEN: WordsOf<Given> = {
  types: true,
  pools: true,
  nodes: true,
  pods: true,
  daemons: true,
  namespaces: true,
  budgets: true,
  volumeClaims: true,
  volumes: true,
  classes: true,
  services: true,
  workloads: true,
  overlays: true,
  buffers: true,
  templates: true,
  unavailable: true,
  demoted: true,
  promised: true,
  settings: true,
}
export const POOL: WordsOf<PoolGiven> = {
  needs: true,
  labels: true,
  taints: true,
  startupTaints: true,
  annotations: true,
  limits: true,
  weight: true,
  replicas: true,
  class: true,
  ready: true,
  deleting: true,
  grace: true,
}
export const NODE: WordsOf<NodeGiven> = {
  count: true,
  pool: true,
  stage: true,
  labels: true,
  bare: true,
  room: true,
  reports: true,
  taints: true,
  startupTaints: true,
  needs: true,
  bought: true,
  deleting: true,
  ending: true,
  cordoned: true,
  attach: true,
}
export const POD: WordsOf<PodGiven> = {
  count: true,
  asks: true,
  containers: true,
  start: true,
  podLevel: true,
  overhead: true,
  labels: true,
  namespace: true,
  select: true,
  needs: true,
  prefers: true,
  tolerates: true,
  spread: true,
  near: true,
  apart: true,
  preferNear: true,
  preferApart: true,
  ports: true,
  mounts: true,
  ephemeral: true,
  on: true,
  nominated: true,
  owner: true,
  age: true,
  untried: true,
  over: true,
}
export const SPREAD: WordsOf<SpreadGiven> = {
  over: true,
  skew: true,
  of: true,
  soft: true,
  minDomains: true,
  taints: true,
  affinity: true,
  keys: true,
}
export const WANT: WordsOf<Want> = {
  claims: true,
  every: true,
  nodes: true,
  on: true,
  unplaced: true,
  someUnplaced: true,
  skew: true,
  fullest: true,
  level: true,
  together: true,
  price: true,
  priceAtMost: true,
  says: true,
}
export const CLAIM: WordsOf<ClaimWant> = {
  times: true,
  pods: true,
  pool: true,
  type: true,
  types: true,
  typesLike: true,
  typesAtLeast: true,
  zone: true,
  capacity: true,
  labels: true,
  without: true,
  has: true,
  unlabelled: true,
  grace: true,
  taints: true,
  requests: true,
  annotations: true,
  needs: true,
}

export const AFFINITY: WordsOf<AffinityGiven> = { term: true, namespaces: true, namespaceSelector: true }
export const START: WordsOf<Start> = { init: true, sidecar: true }
export const BUDGET: WordsOf<PodDisruptionBudget & { readonly of: string }> = {
  of: true,
  key: true,
  uid: true,
  selector: true,
  disruptionsAllowed: true,
  currentHealthy: true,
  desiredHealthy: true,
  expectedPods: true,
  unhealthyPodEvictionPolicy: true,
  conditions: true,
  minAvailable: true,
  maxUnavailable: true,
}
export const VOLUME_CLAIM: WordsOf<VolumeClaimGiven> = {
  volume: true,
  class: true,
  lost: true,
  deleting: true,
  unfinished: true,
  once: true,
  selected: true,
  asks: true,
}
export const ASKS: WordsOf<NonNullable<VolumeClaimGiven['asks']>> = { storage: true, modes: true, block: true, selector: true }
export const VOLUME: WordsOf<VolumeGiven> = { needs: true, driver: true, deleting: true, onHost: true, offers: true }
export const OFFERS: WordsOf<NonNullable<VolumeGiven['offers']>> = {
  class: true,
  storage: true,
  modes: true,
  block: true,
  labels: true,
  claim: true,
  claimUid: true,
}
export const CLASS: WordsOf<ClassGiven> = { zones: true, driver: true, immediate: true, isDefault: true }
export const WORKLOAD: WordsOf<WorkloadGiven> = { kind: true, apiVersion: true, replicas: true, selector: true, pod: true }
export const OVERLAY: WordsOf<OverlayGiven> = { needs: true, price: true, priceAdjustment: true, capacity: true, weight: true }
export const BUFFER: WordsOf<BufferGiven> = { template: true, scalable: true, replicas: true, percentage: true, limits: true }
export const PROMISE: WordsOf<Promised> = { to: true, until: true }
export const SETTINGS: WordsOf<DecisionSettings> = {
  minValuesPolicy: true,
  preferencePolicy: true,
  maxInstanceTypes: true,
  launchTimeout: true,
  registrationTimeout: true,
  initializationTimeout: true,
  machineNames: true,
  kubeletIdentityClientId: true,
  clusterFacts: true,
  additionalTags: true,
  nodeRepair: true,
  repairPolicies: true,
  terminateFirst: true,
  mostPlannedTaints: true,
  podDeletionCosts: true,
  calm: true,
  placement: true,
  defaultSpread: true,
  links: true,
  maxSteps: true,
  nodeCost: true,
}
