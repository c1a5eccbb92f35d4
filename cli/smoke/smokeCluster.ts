import * as z from 'zod'
import { createCatalog } from '../../shared/adapters/azure/catalog.ts'
import { createCloudProvider } from '../../shared/adapters/azure/cloudProvider.ts'
import { BOOTSTRAP_GROUP } from '../../shared/adapters/kube/bootstrapTokenCalls.ts'
import { createClusterApi } from '../../shared/adapters/kube/createClusterApi.ts'
import type { KubeTransport } from '../../shared/adapters/kube/kubeTransport.ts'
import { createLineTelemetry } from '../../shared/adapters/telemetry/lineTelemetry.ts'
import { err, ok, type Result } from '../../shared/base/result.ts'
import { isSuccess } from '../../shared/kubeclient/status.ts'
import { clusterId, type MachineNames } from '../../shared/model/ids.ts'
import { type Problem, problem } from '../../shared/model/problem.ts'
import type { BlobStore } from '../../shared/ports/blobStore.ts'
import type { Catalog } from '../../shared/ports/catalog.ts'
import type { Clock } from '../../shared/ports/clock.ts'
import type { CloudProvider } from '../../shared/ports/cloudProvider.ts'
import type { ClusterApi } from '../../shared/ports/clusterApi.ts'
import type { ClusterConfig } from '../../shared/wire/clusterConfig.ts'
import { parseClusterEntries, resolveCluster } from '../../shared/wire/clusterEntry.ts'
import { type Access, openCluster } from '../clusterAccess.ts'
import { refused } from '../down/kubeObjects.ts'

/** The tag and the label of everything that a smoke run makes. Its value is the name of the run. */
export const SMOKE_KEY = 'joiner.dev/smoke'
/** As Azure spells the name of the tag. */
export const SMOKE_TAG = 'joiner.dev_smoke'
/**
 * The id of the cluster on the machines of smoke runs. The app knows the cluster by another id, so it leaves these machines alone, and so do
 * `azd down` and `joiner cleanup`.
 */
export const SMOKE_CLUSTER = clusterId('joiner-smoke')

/** The cluster that machines are tried in, through the product's own adapters. */
export type SmokeCluster = {
  readonly resourceId: string
  readonly config: ClusterConfig
  readonly machineNames: MachineNames
  readonly cloud: CloudProvider
  readonly catalog: Pick<Catalog, 'instanceTypes' | 'nodeVersions'>
  readonly api: ClusterApi
  readonly call: KubeTransport
}

export type SmokeTarget = {
  readonly resourceId: string
  /** Fields of the entry of the cluster, as JOINER_CLUSTER_OVERRIDES has them. */
  readonly overrides: { readonly [field: string]: unknown }
  readonly pricesEndpoint?: string | undefined
}

/** Opens the cluster for one run. Each resource that is made in it has the tag of the run. */
export async function openSmokeCluster(target: SmokeTarget, run: string, access: Access): Promise<Result<SmokeCluster, Problem>> {
  const { resourceId, overrides, pricesEndpoint } = target
  const facts = await access.facts(resourceId)
  if (!facts.ok) return facts
  const audience = overrides['apiServerAudience']
  const opened = await openCluster(access, resourceId, typeof audience === 'string' ? { audience } : {})
  if (!opened.ok) return opened
  const { server, caBundle, token, call } = opened.value
  const own = { ...overrides, resourceId, caBundle, apiServer: server, id: SMOKE_CLUSTER }
  const entries = parseClusterEntries(JSON.stringify([own]))
  const [entry] = entries.ok ? entries.value : []
  const resolved = entry === undefined ? err([]) : resolveCluster(entry, facts.value)
  if (!resolved.ok) {
    const why = [...(entries.ok ? [] : entries.error), ...resolved.error].map(({ message }) => message).join('; ')
    return err(problem('SETTING.INVALID', `cluster ${resourceId}: ${why}`))
  }
  const config = { ...resolved.value, additionalTags: { ...resolved.value.additionalTags, [SMOKE_TAG]: run } }
  const { clock, credential, armOptions: arm } = access
  const telemetry = createLineTelemetry(clock, () => undefined, 'error')
  const machineNames = { prefix: config.machinePrefix, former: config.formerMachinePrefixes }
  const prices = pricesEndpoint ? { pricesEndpoint } : {}
  const catalog = createCatalog({ config, credential, arm, blobs: createHeldBlobs(), clock, telemetry, ...prices })
  return ok({
    resourceId,
    config,
    machineNames,
    catalog,
    cloud: createCloudProvider({ config, credential, arm, sizes: catalog, pinImage: catalog.pinImage, clock, telemetry }),
    api: createClusterApi({ server, caBundle, token, cluster: SMOKE_CLUSTER, machineNames, clock, telemetry }),
    call,
  })
}

const bindings = z.object({
  items: z.array(z.object({ subjects: z.array(z.object({ kind: z.string(), name: z.string() })).nullish() })),
})
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'

/**
 * A role that was assigned lately may take up to five minutes to hold at the API server. Source: "Use Azure role-based access control for Kubernetes
 * Authorization" of AKS, read on 2026-11-30.
 */
const NEW_RIGHT_MS = 5 * 60_000
const PAUSE_MS = 5_000

type Waiting = { readonly clock: Clock; readonly print: (line: string) => void }

/** Whether the cluster lets machines join: the chart binds the group of their tokens to the right to ask for a certificate. */
export async function letsMachinesJoin(
  { call }: Pick<SmokeCluster, 'call'>,
  { clock, print }: Waiting,
  signal: AbortSignal,
): Promise<boolean> {
  const list = () => call({ method: 'GET', path: BINDINGS }, signal)
  const until = clock.now() + NEW_RIGHT_MS
  let answer = await list()
  if (answer.status === 403)
    print('the cluster does not list its role bindings for you; a role that was assigned lately holds within five minutes: waiting')
  while (answer.status === 403 && clock.now() < until) {
    await clock.sleep(PAUSE_MS, signal)
    answer = await list()
  }
  if (!isSuccess(answer)) throw refused('list', BINDINGS, answer)
  const items = bindings.safeParse(answer.json).data?.items ?? []
  return items.some(({ subjects }) => subjects?.some(({ kind, name }) => kind === 'Group' && name === BOOTSTRAP_GROUP) === true)
}

/** The documents of the catalog, for one process that is alone with them. */
function createHeldBlobs(): BlobStore {
  const held = new Map<string, { readonly value: string; readonly etag: string }>()
  let writes = 0
  return {
    read: (path) => Promise.resolve(held.get(path)),
    write: (path, value) => {
      writes++
      held.set(path, { value, etag: `${writes}` })
      return Promise.resolve(ok(`${writes}`))
    },
    remove: (path) => {
      held.delete(path)
      return Promise.resolve()
    },
    list: (prefix) => Promise.resolve([...held.keys()].filter((path) => path.startsWith(prefix))),
  }
}
