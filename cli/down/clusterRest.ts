/** Objects that the app and the shim write into a cluster, in addition to the objects of their charts. They must be removed with Joiner. */
import { member } from '../armCall.ts'
import type { DownCluster } from './downCluster.ts'
import { deleteObject, listObjects, type RemovableObject } from './kubeObjects.ts'
import type { Release } from './releases.ts'

const OURS = { labelSelector: 'app.kubernetes.io/part-of=joiner' }
const TOKENS = { fieldSelector: 'type=bootstrap.kubernetes.io/token' }
/** The pod of the post-deployment hook. It is left over if the hook was interrupted. */
const PROOF = 'joiner-first-decision'
const GROUP = 'system:bootstrappers:joiner'

/**
 * Returns the paths of bootstrap tokens, of Joiner's Secrets in the chart's namespace, of the shim's lease, and of the pod of an interrupted hook.
 */
export async function clusterRest({ call }: Pick<DownCluster, 'call'>, release: Release, signal: AbortSignal): Promise<readonly string[]> {
  const secrets = `/api/v1/namespaces/${release.namespace}/secrets`
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${release.namespace}/leases`
  const system = '/api/v1/namespaces/kube-system/secrets'
  const tokens = (await listObjects(call, system, TOKENS, signal)).filter(isOfJoiner)
  const own = await listObjects(call, secrets, OURS, signal)
  const held = (await listObjects(call, leases, {}, signal)).filter(({ metadata }) => metadata.name === `${release.name}-shim`)
  const pods = `/api/v1/namespaces/${release.namespace}/pods`
  const proof = (await listObjects(call, pods, {}, signal)).filter(({ metadata }) => metadata.name === PROOF)
  return [...pathsOf(system, tokens), ...pathsOf(secrets, own), ...pathsOf(leases, held), ...pathsOf(pods, proof)]
}

export async function removeClusterRest(cluster: Pick<DownCluster, 'call'>, release: Release, signal: AbortSignal): Promise<void> {
  for (const path of await clusterRest(cluster, release, signal)) await deleteObject(cluster.call, path, signal)
}

/** Reports whether the token is Joiner's: then it is for the group of all machines that join. */
function isOfJoiner(secret: RemovableObject): boolean {
  const groups = member(member(secret, 'data'), 'auth-extra-groups')
  return typeof groups === 'string' && Buffer.from(groups, 'base64').toString('utf8').split(',').includes(GROUP)
}

function pathsOf(collection: string, objects: readonly RemovableObject[]): readonly string[] {
  return objects.map(({ metadata }) => `${collection}/${metadata.name}`)
}
