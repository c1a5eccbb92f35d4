import { askKube, type KubeConnection } from '../../shared/kubeclient/client.ts'
import { faultOf, isSuccess, type KubeAnswer } from '../../shared/kubeclient/status.ts'

/** The members of a coordination.k8s.io/v1 Lease that matter to an election. */
export type Lease = {
  readonly resourceVersion: string
  readonly holder: string
  readonly durationSeconds: number
  readonly acquiredAt: number
  readonly renewedAt: number
  readonly transitions: number
}

export type LeaseDraft = Omit<Lease, 'resourceVersion'>

export interface LeaseClient {
  get(signal: AbortSignal): Promise<Lease | undefined>
  /** Creates the lease, or replaces the version in `replaces`. Undefined if another replica was faster. */
  put(draft: LeaseDraft, replaces: Lease | undefined, signal: AbortSignal): Promise<Lease | undefined>
}

/** Timeout of a request. A longer request is of no use: the lease would be lost meanwhile. */
const TIMEOUT_MS = 5_000

type LeaseJson = {
  readonly metadata?: { readonly resourceVersion?: string }
  readonly spec?: {
    readonly holderIdentity?: string | null
    readonly leaseDurationSeconds?: number | null
    readonly acquireTime?: string | null
    readonly renewTime?: string | null
    readonly leaseTransitions?: number | null
  }
}

export function createLeaseClient(connection: KubeConnection, namespace: string, name: string): LeaseClient {
  const collection = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`

  function ask(method: 'GET' | 'POST' | 'PUT', path: string, body: object | undefined, signal: AbortSignal): Promise<KubeAnswer> {
    return askKube(connection, { method, path, body, timeoutMs: TIMEOUT_MS }, signal)
  }

  return {
    async get(signal) {
      const answer = await ask('GET', `${collection}/${name}`, undefined, signal)
      if (answer.status === 404) return undefined
      return read(answer, 'read')
    },
    async put(draft, replaces, signal) {
      const body = leaseJson(draft, namespace, name, replaces?.resourceVersion)
      const answer = replaces ? await ask('PUT', `${collection}/${name}`, body, signal) : await ask('POST', collection, body, signal)
      if (answer.status === 409) return undefined
      return read(answer, 'write')
    },
  }
}

function leaseJson(draft: LeaseDraft, namespace: string, name: string, resourceVersion: string | undefined) {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace, name, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    spec: {
      holderIdentity: draft.holder,
      leaseDurationSeconds: draft.durationSeconds,
      acquireTime: microTime(draft.acquiredAt),
      renewTime: microTime(draft.renewedAt),
      leaseTransitions: draft.transitions,
    },
  }
}

/** Prints a time of a Lease. Lease times have six digits after the second; the last three are always zero here. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z')
}

function read(answer: KubeAnswer, operation: 'read' | 'write'): Lease {
  const { metadata, spec } = leaseIn(answer, operation)
  return {
    resourceVersion: metadata?.resourceVersion ?? '',
    holder: spec?.holderIdentity ?? '',
    durationSeconds: spec?.leaseDurationSeconds ?? 0,
    acquiredAt: timeOf(spec?.acquireTime),
    renewedAt: timeOf(spec?.renewTime),
    transitions: spec?.leaseTransitions ?? 0,
  }
}

function leaseIn(answer: KubeAnswer, operation: string): LeaseJson {
  if (isSuccess(answer) && isLease(answer.json)) return answer.json
  throw faultOf(answer, operation, 'the lease')
}

/** The path decides that an object is a Lease. Each of its members may be missing. */
function isLease(json: unknown): json is LeaseJson {
  return typeof json === 'object' && json !== null
}

function timeOf(text: string | null | undefined): number {
  const ms = Date.parse(text ?? '')
  return Number.isFinite(ms) ? ms : 0
}
