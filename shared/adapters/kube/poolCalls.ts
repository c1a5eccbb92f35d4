import { err, ok, type Result } from '../../base/result.ts'
import type { Problem } from '../../model/problem.ts'
import { problem } from '../../model/problem.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import { nodeClassStatusToKube, nodePoolStatusToKube } from '../../wire/kube/print.ts'
import { guardOf, mergePatch } from './claimCalls.ts'
import type { KubeObjects } from './kubeObjects.ts'
import { itemPath } from './kubePaths.ts'
import { replacedResources } from './replacedResources.ts'

type PoolCalls = Pick<ClusterApi, 'getNodePool' | 'patchNodePoolStatus' | 'getNodeClass' | 'patchNodeClassStatus'>

export function createPoolCalls(objects: KubeObjects): PoolCalls {
  return {
    getNodePool: (name, signal) => objects.get('nodePool', itemPath('nodePool', name), signal),
    async patchNodePoolStatus(name, status, signal) {
      const path = itemPath('nodePool', name)
      // read first: a resource that is no longer used has to be taken away by name
      const pool = await objects.get('nodePool', path, signal)
      if (!pool) return notFound(`nodepool/${name}`)
      const resources = replacedResources(pool.status.resources, status.resources)
      const body = { metadata: guardOf(pool.meta), status: { ...nodePoolStatusToKube(status), resources } }
      const request = {
        kind: 'nodePool',
        operation: 'patch status of',
        object: `nodepool/${name}`,
        ...mergePatch(`${path}/status`, body),
      } as const
      return withoutValue(await objects.write(request, signal))
    },
    getNodeClass: (name, signal) => objects.get('nodeClass', itemPath('nodeClass', name), signal),
    async patchNodeClassStatus(name, status, signal) {
      const path = `${itemPath('nodeClass', name)}/status`
      const body = { status: nodeClassStatusToKube(status) }
      const request = {
        kind: 'nodeClass',
        operation: 'patch status of',
        object: `aksnodeclass/${name}`,
        ...mergePatch(path, body),
      } as const
      return withoutValue(await objects.write(request, signal))
    },
  }
}

function notFound(object: string): Result<void, Problem> {
  return err(problem('KUBE.NOT_FOUND', `patch status of ${object}: there is no such object`, { object }))
}

function withoutValue(result: Result<unknown, Problem>): Result<void, Problem> {
  return result.ok ? ok(undefined) : result
}
