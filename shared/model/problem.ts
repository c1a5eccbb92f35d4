/**
 * Every code of a refusal or an expected failure. The list is closed. A code is carried as data from its origin to Events, conditions, logs, metrics
 * and the terminal. `docs/errors.md` explains each code.
 */
export const PROBLEM_CODES = [
  // why a pod cannot be placed, or a node cannot be made
  'POD.NOT_PROVISIONABLE',
  'POD.OPT_OUT',
  'POD.INVALID',
  'POD.VOLUME',
  'POD.UNSUPPORTED_RESOURCE_CLAIM',
  'POD.UNSUPPORTED_MATCH_FIELDS',
  'POD.UNSUPPORTED_SCHEDULING_GROUP',
  'POD.REFUSED_BY_SCHEDULER',
  'POOL.NONE',
  'POOL.NOT_READY',
  'POOL.INVALID',
  'POOL.STATIC',
  'POOL.PAUSED',
  'POOL.NO_INSTANCE_TYPE',
  'POOL.LIMIT',
  'SCHEDULING.TAINT',
  'SCHEDULING.REQUIREMENT',
  'SCHEDULING.RESOURCES',
  'SCHEDULING.OFFERING',
  'SCHEDULING.MIN_VALUES',
  'SCHEDULING.CLAIM_INVALID',
  'SCHEDULING.CLAIM_REFUSED',
  'SCHEDULING.SPREAD',
  'SCHEDULING.AFFINITY',
  'SCHEDULING.ANTI_AFFINITY',
  'SCHEDULING.VOLUME',
  'SCHEDULING.PORT',
  'SCHEDULING.RESERVATION',
  'SCHEDULING.DEADLINE',
  'NODECLASS.NOT_FOUND',
  'NODECLASS.NOT_READY',
  'NODECLASS.INVALID',
  'CLUSTER.UNSUPPORTED',
  // why a node is not removed
  'DISRUPTION.BUDGET',
  'DISRUPTION.DO_NOT_DISRUPT',
  'DISRUPTION.PDB',
  'DISRUPTION.NOT_INITIALIZED',
  'DISRUPTION.NOMINATED',
  'DISRUPTION.OCCUPIED',
  'DISRUPTION.RESTING',
  'DISRUPTION.WINDOW',
  'DISRUPTION.POLICY',
  'DISRUPTION.QUIET',
  'DISRUPTION.FROZEN',
  'DISRUPTION.CALM',
  'DISRUPTION.PENDING',
  'DISRUPTION.WAVE',
  'DISRUPTION.NO_ROOM',
  'DISRUPTION.NO_PRICE',
  'DISRUPTION.NO_SAVING',
  'DISRUPTION.SPOT',
  'DISRUPTION.BALANCE',
  'DISRUPTION.DEADLINE',
  'DISRUPTION.REPAIR_PAUSED',
  'DISRUPTION.DRIFT_PAUSED',
  // lifecycle of a claim
  'CLAIM.NOT_FOUND',
  'CLAIM.LAUNCH_TIMEOUT',
  'CLAIM.REGISTRATION_TIMEOUT',
  'CLAIM.INITIALIZATION_TIMEOUT',
  'CLAIM.INSUFFICIENT_CAPACITY',
  'CLAIM.NODE_DELETED',
  'CLAIM.INSTANCE_GONE',
  // answers of Azure
  'AZURE.QUOTA.FAMILY',
  'AZURE.QUOTA.SPOT',
  'AZURE.QUOTA.REGION',
  'AZURE.SKU_NOT_AVAILABLE',
  'AZURE.ALLOCATION.ZONE',
  'AZURE.ALLOCATION.REGION',
  'AZURE.ALLOCATION.OVERCONSTRAINED_ZONE',
  'AZURE.ALLOCATION.OVERCONSTRAINED',
  'AZURE.SUBNET_FULL',
  'AZURE.NIC_RESERVED',
  'AZURE.PROPERTY_CHANGE',
  'AZURE.IMAGE_NOT_FOUND',
  'AZURE.POLICY_DENIED',
  'AZURE.FORBIDDEN',
  'AZURE.LOCKED',
  'AZURE.SUBSCRIPTION',
  'AZURE.NETWORK_LIMIT',
  'AZURE.THROTTLED',
  'AZURE.NOT_FOUND',
  'AZURE.FAILED',
  // input from outside
  'INPUT.INVALID',
  'INPUT.UNAUTHENTICATED',
  'INPUT.FORBIDDEN',
  'INPUT.TOO_LARGE',
  'INPUT.TOO_MANY_QUESTIONS',
  'INPUT.OLD_TERM',
  'INPUT.UNKNOWN_CLUSTER',
  'INPUT.UNSUPPORTED_VERSION',
  'SETTING.INVALID',
  // obstacles to an installation
  'PREFLIGHT.SUBSCRIPTION',
  'PREFLIGHT.STOPPED',
  'PREFLIGHT.NOT_READY',
  'PREFLIGHT.VERSION',
  'PREFLIGHT.AUTOMATIC',
  'PREFLIGHT.NODE_AUTO_PROVISIONING',
  'PREFLIGHT.OTHER_PROVISIONER',
  'PREFLIGHT.NODE_GROUP_LOCKED',
  'PREFLIGHT.SERVICE_PRINCIPAL',
  'PREFLIGHT.ENTRA',
  'PREFLIGHT.OIDC_ISSUER',
  'PREFLIGHT.WORKLOAD_IDENTITY',
  'PREFLIGHT.NETWORK',
  'PREFLIGHT.OUTBOUND',
  'PREFLIGHT.UNSUPPORTED',
  'PREFLIGHT.POOLS',
  'PREFLIGHT.PRIVATE_CLUSTER',
  'PREFLIGHT.AUTHORIZED_RANGES',
  'PREFLIGHT.SYSTEM_POOL',
  'PREFLIGHT.TENANT',
  'PREFLIGHT.NAME',
  'PREFLIGHT.REGION',
  'PREFLIGHT.TOOL',
  'PREFLIGHT.RIGHTS',
  'PREFLIGHT.PROVIDER',
  'PREFLIGHT.SUBNET',
  'PREFLIGHT.CHART',
  'PREFLIGHT.HEALTH_TOPIC',
  'PREFLIGHT.IMAGE',
  'PREFLIGHT.APP',
  // Joiner's own storage
  'STORE.UNAVAILABLE',
  'STORE.CONFLICT',
  'STORE.LEASE_HELD',
  'STORE.LEASE_LOST',
  'STORE.NEWER_SCHEMA',
  'STORE.LOG_GAP',
  // the cluster's API server
  'KUBE.NOT_FOUND',
  'KUBE.CONFLICT',
  'KUBE.INVALID',
  'KUBE.EVICTION_BLOCKED',
  'KUBE.FORBIDDEN',
  'KUBE.FAILED',
  // a connection of Joiner that broke or could not be made
  'NETWORK.FAILED',
  // a bug of Joiner
  'INTERNAL.LEFT_OUT',
  'INTERNAL.FAILED',
] as const

export type ProblemCode = (typeof PROBLEM_CODES)[number]

/** An expected failure, as a value. The message is in lower case and names the object, the field, the rule and the remedy. */
export type Problem = {
  readonly code: ProblemCode
  readonly message: string
  /** The position in the input, for example `spec.template.spec.requirements[0].operator`. */
  readonly path?: string
  /** The object that the problem concerns, for example `nodepool/default`. */
  readonly object?: string
  /** The numbers and names in the message, for explanations. */
  readonly fields?: { readonly [name: string]: string | number | boolean }
  /** Undefined if a retry will not help. */
  readonly retryAfterMs?: number
  /** Set if Joiner itself waits, and the outside system was not asked. */
  readonly isLocal?: boolean
}

export function problem(code: ProblemCode, message: string, details: Omit<Problem, 'code' | 'message'> = {}): Problem {
  return { code, message, ...details }
}

/** An unexpected failure of an external system. Adapters throw it with its cause. Flows decide what follows. */
export class Fault extends Error {
  override readonly name = 'Fault'
  readonly operation: string
  readonly problem: Problem

  constructor(operation: string, problem: Problem, cause?: unknown) {
    super(`${operation}: ${problem.message}`, { cause })
    this.operation = operation
    this.problem = problem
  }
}
