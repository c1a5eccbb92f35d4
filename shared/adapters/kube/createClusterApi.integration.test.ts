import { describe, expect, it } from 'vitest'
import { condition } from '../../../test/builders/condition.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { describeClusterApi } from '../../../test/conformance/clusterApi.ts'
import { fresh, SIGNAL, valueOf } from '../../../test/conformance/harness.ts'
import { kubeHarness } from '../../../test/kube/kubeHarness.ts'
import { nodeClaimName, nodeName, nodePoolName } from '../../model/ids.ts'
import { ANNOTATION, FINALIZER, LABEL } from '../../model/labels.ts'

describeClusterApi('the Kubernetes adapter', kubeHarness)

describe('the Kubernetes adapter against a server', () => {
  const name = nodeClaimName('default-xxxxx')
  const { spec } = nodeClaim({ name })
  const draft = { name, nodePool: nodePoolName('default'), labels: {}, annotations: {}, spec }

  it('makes a claim with its finalizer, so that no machine is launched for one that can vanish', async () => {
    const { api } = await fresh(kubeHarness)
    const pool = await api.getNodePool(nodePoolName('default'), SIGNAL)
    const claim = valueOf(await api.createClaim(draft, pool, SIGNAL))
    expect(claim.meta.finalizers).toEqual([FINALIZER])
    expect(claim.meta.labels[LABEL.nodePool]).toBe('default')
  })

  it('names field and rule of a claim the server refuses', async () => {
    const { api } = await fresh(kubeHarness)
    const wrong = { ...draft, spec: { ...spec, requirements: [{ key: 'a', operator: 'Near' as 'In', values: ['b'] }] } }
    const refused = await api.createClaim(wrong, undefined, SIGNAL)
    expect(refused).toMatchObject({ ok: false, error: { code: 'KUBE.INVALID', object: 'nodeclaim/default-xxxxx' } })
    if (!refused.ok) expect(refused.error.path).toBe('spec.requirements[0].operator')
  })

  it('RG-03 RG-04 makes a claim the owner of its node, once, however often it is said', async () => {
    const { api, call, makeNode } = await fresh(kubeHarness)
    const { meta } = valueOf(await api.createClaim(draft, undefined, SIGNAL))
    const node = nodeName('joiner-default-xxxxx')
    await makeNode(node)
    for (let look = 0; look < 2; look++) {
      const seen = (await api.getNode(node, SIGNAL)) ?? expect.fail('no node')
      valueOf(await api.patchNode(seen, { ownerClaim: { name, uid: meta.uid } }, SIGNAL))
    }
    const owner = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name, uid: meta.uid, blockOwnerDeletion: true }
    expect((await call('GET', `/api/v1/nodes/${node}`)).body.metadata?.ownerReferences).toEqual([owner])
  })

  it('CT-04 ends a claim whose quantities are written in another way than ours', async () => {
    const { api, call } = await fresh(kubeHarness)
    const requests = { cpu: '2.0', memory: '0.5Gi', 'ephemeral-storage': '1e9', 'example.com/gpu': 1 }
    const { nodeClassRef } = spec
    await call('POST', '/apis/karpenter.sh/v1/nodeclaims', {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name, finalizers: [FINALIZER] },
      spec: { nodeClassRef, requirements: [], resources: { requests } },
    })
    const made = (await api.getClaim(name, SIGNAL)) ?? expect.fail('no claim')
    expect(made.spec.requests).toEqual({ cpu: 2_000, memory: 512 * 1024 ** 2, 'ephemeral-storage': 1e9, 'example.com/gpu': 1 })
    await api.deleteClaim(name, made.meta.uid, SIGNAL)
    const marked = (await api.getClaim(name, SIGNAL)) ?? expect.fail('no claim')
    const dated = valueOf(
      await api.patchClaim(marked, { annotations: { [ANNOTATION.terminationTimestamp]: '2026-01-01T00:00:00Z' } }, SIGNAL),
    )
    const ending = valueOf(await api.patchClaimStatus(dated, { ...dated.status, conditions: [condition('InstanceTerminating')] }, SIGNAL))
    expect(ending.spec.requests).toEqual(made.spec.requests)
    valueOf(await api.patchClaim(ending, { finalizers: [] }, SIGNAL))
    expect(await api.getClaim(name, SIGNAL)).toBeUndefined()
  })

  it('takes a resource that is no longer used out of a pool', async () => {
    const { api } = await fresh(kubeHarness)
    const pool = nodePoolName('default')
    await api.patchNodePoolStatus(pool, { conditions: [], resources: { cpu: 4_000, 'nvidia.com/gpu': 1 }, nodes: 1 }, SIGNAL)
    await api.patchNodePoolStatus(pool, { conditions: [], resources: { cpu: 2_000 }, nodes: 1 }, SIGNAL)
    expect((await api.getNodePool(pool, SIGNAL))?.status.resources).toEqual({ cpu: 2_000 })
  })
})
