import { createClusterApi } from '../../shared/adapters/kube/createClusterApi.ts'
import { nodePoolHashAnnotations } from '../../shared/model/driftHash.ts'
import {
  clusterId,
  DEFAULT_MACHINE_NAMES,
  nodeClaimName,
  nodeClassName,
  nodeName,
  nodePoolName,
  objectKey,
} from '../../shared/model/ids.ts'
import { CLASS_FINALIZER, LABEL } from '../../shared/model/labels.ts'
import { epochMs } from '../../shared/model/units.ts'
import type { Clock } from '../../shared/ports/clock.ts'
import type { ClusterApi } from '../../shared/ports/clusterApi.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'
import { SIGNAL, valueOf } from '../conformance/harness.ts'
import { silentTelemetry } from '../kube/kubeHarness.ts'

/** Real time, because the API server is real, plus `aheadMs` for waits that are too long for a test. */
let aheadMs = 0
const clock: Clock = {
  now: () => epochMs(Date.now() + aheadMs),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

/** An event that is published again after this time raises the event's count. */
const EVENT_COUNTS_AFTER_MS = 10 * 60_000
const CLAIM = nodeClaimName('default-aaaaa')
const POOL = nodePoolName('default')
const CLASS = nodeClassName('default')
const BUFFER = objectKey('default', 'spare')

export function appApi(server: string): ClusterApi {
  const token = () => Promise.resolve('the door knows who we are')
  return createClusterApi({
    server,
    caBundle: undefined,
    token,
    cluster: clusterId('demo'),
    machineNames: DEFAULT_MACHINE_NAMES,
    clock,
    telemetry: silentTelemetry,
  })
}

/**
 * Makes every call that the app can make of the API server, in the order of a machine's life. The cluster must have a pool and a class named
 * `default`, an overlay, a buffer `spare`, and the node with two pods that can be evicted.
 */
export async function playApp(api: ClusterApi, name: string): Promise<void> {
  const pool = await api.getNodePool(POOL, SIGNAL)
  if (pool === undefined) throw new Error('no pool')
  valueOf(await api.patchNodePoolStatus(POOL, { conditions: [], resources: { cpu: 4_000 }, nodes: 1 }, SIGNAL))
  valueOf(await api.annotateNodePool(POOL, nodePoolHashAnnotations(pool), SIGNAL))
  const nodeClass = await api.getNodeClass(CLASS, SIGNAL)
  if (nodeClass === undefined) throw new Error('no class')
  valueOf(await api.patchNodeClassFinalizers(nodeClass, [...nodeClass.meta.finalizers, CLASS_FINALIZER], SIGNAL))
  valueOf(await api.patchNodeClassStatus(CLASS, { conditions: [] }, SIGNAL))
  const [overlay] = await api.listNodeOverlays(SIGNAL)
  if (overlay === undefined) throw new Error('no overlay')
  valueOf(await api.patchNodeOverlayStatus(overlay.name, { conditions: [] }, SIGNAL))
  valueOf(await api.patchCapacityBufferStatus(BUFFER, { replicas: 1, conditions: [] }, SIGNAL))

  const { spec, status } = nodeClaim({ name: CLAIM, stage: 'registered' })
  const draft = { name: CLAIM, nodePool: POOL, labels: { [LABEL.nodePool]: 'default' }, annotations: {}, spec }
  const created = valueOf(await api.createClaim(draft, pool, SIGNAL))
  await api.listClaims(SIGNAL)
  await api.putBootstrapToken(CLAIM, epochMs(clock.now() + 600_000), SIGNAL)
  await api.putBootstrapToken(CLAIM, epochMs(clock.now() + 900_000), SIGNAL)
  await api.deleteBootstrapToken(CLAIM, SIGNAL)
  const patched = valueOf(await api.patchClaim(created, { labels: { a: 'b' } }, SIGNAL))
  const claim = valueOf(await api.patchClaimStatus(patched, { ...status, conditions: [] }, SIGNAL))

  const node = await api.getNode(nodeName(name), SIGNAL)
  if (node === undefined) throw new Error('no node')
  const ownerClaim = { name: CLAIM, uid: claim.meta.uid }
  valueOf(await api.patchNode(node, { ownerClaim, taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] }, SIGNAL))
  const [first, second] = await api.listPodsOn(nodeName(name), SIGNAL)
  if (first === undefined || second === undefined) throw new Error('two pods expected')
  valueOf(await api.evict(first, SIGNAL))
  await api.deletePod(second, 0, SIGNAL)
  if ((await api.getVolumeAttachment('csi-gone', SIGNAL)) !== undefined) throw new Error('no volume is attached')
  const subject = { kind: 'nodeClaim', name: CLAIM } as const
  for (const later of [0, EVENT_COUNTS_AFTER_MS]) {
    aheadMs = later
    await api.publish({ subject, type: 'Normal', reason: 'Drained', message: 'no pods left' }, SIGNAL)
  }
  aheadMs = 0

  await api.deleteNode(nodeName(name), node.meta.uid, SIGNAL)
  await api.deleteClaim(CLAIM, claim.meta.uid, SIGNAL)
  const marked = await api.getClaim(CLAIM, SIGNAL)
  if (marked !== undefined) valueOf(await api.patchClaim(marked, { finalizers: [] }, SIGNAL))
}
