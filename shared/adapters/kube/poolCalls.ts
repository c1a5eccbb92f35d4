import { err, ok, type Result } from '../../base/result.ts'
import { isSuccess } from '../../kubeclient/status.ts'
import type { ObjectKind } from '../../model/clusterObjects.ts'
import type { Problem } from '../../model/problem.ts'
import { problem } from '../../model/problem.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { PoolCalls } from '../../ports/clusterApi.ts'
import { capacityBufferStatusToKube, conditionStatusToKube, nodeClassStatusToKube, nodePoolStatusToKube } from '../../wire/kube/print.ts'
import { guardOf, mergePatch } from './claimCalls.ts'
import type { KubeObjects } from './kubeObjects.ts'
import { bufferPath, itemPath, RESOURCE } from './kubePaths.ts'
import { problemOrForbidden } from './kubeStatus.ts'
import { replacedResources } from './replacedResources.ts'

export function createPoolCalls(objects: KubeObjects): PoolCalls {
  async function patchStatus(kind: ObjectKind, object: string, path: string, body: object, signal: AbortSignalLike) {
    const request = { kind, operation: 'patch status of', object, ...mergePatch(`${path}/status`, body) }
    return withoutValue(await objects.write(request, signal))
  }

  return {
    getNodePool: (name, signal) => objects.get('nodePool', itemPath('nodePool', name), signal),
    async patchNodePoolStatus(name, status, signal) {
      const path = itemPath('nodePool', name)
      // The pool is read first, because a patch removes a resource that is no longer used only by its name.
      const pool = await objects.get('nodePool', path, signal)
      if (!pool) return notFound(`nodepool/${name}`)
      const resources = replacedResources(pool.status.resources, status.resources)
      const body = { metadata: guardOf(pool.meta), status: { ...nodePoolStatusToKube(status), resources } }
      return patchStatus('nodePool', `nodepool/${name}`, path, body, signal)
    },
    async annotateNodePool(name, annotations, signal) {
      const answer = await objects.call(mergePatch(itemPath('nodePool', name), { metadata: { annotations } }), signal)
      return isSuccess(answer) ? ok(undefined) : err(problemOrForbidden(answer, 'patch', `nodepool/${name}`))
    },
    getNodeClass: (name, signal) => objects.get('nodeClass', itemPath('nodeClass', name), signal),
    async patchNodeClassFinalizers({ name, meta }, finalizers, signal) {
      const body = { metadata: { ...guardOf(meta), finalizers } }
      const answer = await objects.call(mergePatch(itemPath('nodeClass', name), body), signal)
      return isSuccess(answer) ? ok(undefined) : err(problemOrForbidden(answer, 'patch', `aksnodeclass/${name}`))
    },
    patchNodeClassStatus: (name, status, signal) =>
      patchStatus('nodeClass', `aksnodeclass/${name}`, itemPath('nodeClass', name), { status: nodeClassStatusToKube(status) }, signal),
    listNodeOverlays: (signal) => objects.list({ kind: 'nodeOverlay', path: RESOURCE.nodeOverlay.path, optional: true }, signal),
    patchNodeOverlayStatus: (name, status, signal) =>
      patchStatus('nodeOverlay', `nodeoverlay/${name}`, itemPath('nodeOverlay', name), { status: conditionStatusToKube(status) }, signal),
    patchCapacityBufferStatus: (key, status, signal) =>
      patchStatus('capacityBuffer', `capacitybuffer/${key}`, bufferPath(key), { status: capacityBufferStatusToKube(status) }, signal),
  }
}

function notFound(object: string): Result<void, Problem> {
  return err(problem('KUBE.NOT_FOUND', `patch status of ${object}: there is no such object`, { object }))
}

function withoutValue(result: Result<unknown, Problem>): Result<void, Problem> {
  return result.ok ? ok(undefined) : result
}
