import { describe, expect, it } from 'vitest'
import { type NodeClaimName, nodeClaimName, nodeName, nodePoolName, objectKey, uid } from '../../shared/model/ids.ts'
import { FINALIZER, LABEL, TAINT_KEY } from '../../shared/model/labels.ts'
import type { NodeClaim, NodeClaimDraft } from '../../shared/model/nodeClaim.ts'
import { epochMs } from '../../shared/model/units.ts'
import type { ClusterApi } from '../../shared/ports/clusterApi.ts'
import { NOW } from '../builders/clock.ts'
import { condition } from '../builders/condition.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'
import { nodeClass } from '../builders/nodeClass.ts'
import type { MakeClusterApi } from './clusterApiHarness.ts'
import { describeClusterPods } from './clusterApiPods.ts'
import { abortedSignal, codeOf, fresh, SIGNAL, valueOf } from './harness.ts'

const CLAIM = nodeClaimName('default-bbbbb')
const NODE = nodeName('node-a')

function draft(name: NodeClaimName = CLAIM): NodeClaimDraft {
  const { spec } = nodeClaim({ name })
  return { name, nodePool: nodePoolName('default'), labels: { [LABEL.nodePool]: 'default' }, annotations: { 'example.com/a': '1' }, spec }
}

async function createdClaim(api: ClusterApi, name: NodeClaimName = CLAIM): Promise<NodeClaim> {
  return valueOf(await api.createClaim(draft(name), await api.getNodePool(nodePoolName('default'), SIGNAL), SIGNAL))
}

/** Creates a claim with Joiner's finalizer. */
async function guardedClaim(api: ClusterApi): Promise<NodeClaim> {
  return valueOf(await api.patchClaim(await createdClaim(api), { finalizers: [FINALIZER] }, SIGNAL))
}

/** Creates a claim without finalizers. The patch is needed because an implementation may add its finalizer on creation. */
async function unguardedClaim(api: ClusterApi): Promise<NodeClaim> {
  return valueOf(await api.patchClaim(await createdClaim(api), { finalizers: [] }, SIGNAL))
}

export function describeClusterApi(name: string, make: MakeClusterApi): void {
  describeClaims(name, make)
  describeNodes(name, make)
  describeClusterPods(name, make)
  describeTheRest(name, make)
}

function describeClaims(name: string, make: MakeClusterApi): void {
  describe(`claims of ${name}`, () => {
    it('are what was asked for', async () => {
      const { api } = await fresh(make)
      expect(await api.getClaim(CLAIM, SIGNAL)).toBeUndefined()
      const claim = await createdClaim(api)
      expect(claim).toMatchObject({ name: CLAIM, spec: draft().spec, meta: { labels: draft().labels, annotations: draft().annotations } })
      expect(await api.getClaim(CLAIM, SIGNAL)).toEqual(claim)
      await createdClaim(api, nodeClaimName('default-aaaaa'))
      expect((await api.listClaims(SIGNAL)).map((each) => each.name).sort()).toEqual(['default-aaaaa', 'default-bbbbb'])
    })

    it('are made once: the second creation finds the first', async () => {
      const { api } = await fresh(make)
      const [first, second] = await Promise.all([createdClaim(api), createdClaim(api)])
      expect(second.meta.uid).toBe(first.meta.uid)
      expect(await api.listClaims(SIGNAL)).toHaveLength(1)
    })

    it('take labels and annotations beside those they have', async () => {
      const { api } = await fresh(make)
      const claim = await createdClaim(api)
      const patched = valueOf(await api.patchClaim(claim, { labels: { a: 'b' }, annotations: { c: 'd' } }, SIGNAL))
      expect(patched.meta.labels).toEqual({ ...claim.meta.labels, a: 'b' })
      expect(patched.meta.annotations).toEqual({ ...claim.meta.annotations, c: 'd' })
      expect(patched.meta.resourceVersion).not.toBe(claim.meta.resourceVersion)
    })

    it('refuse a writer who saw an older version', async () => {
      const { api } = await fresh(make)
      const seen = await createdClaim(api)
      const outcomes = [
        await api.patchClaim(seen, { labels: { a: '1' } }, SIGNAL),
        await api.patchClaim(seen, { labels: { a: '2' } }, SIGNAL),
      ]
      expect(outcomes.map(codeOf)).toEqual(['ok', 'KUBE.CONFLICT'])
      expect(codeOf(await api.patchClaimStatus(seen, seen.status, SIGNAL))).toBe('KUBE.CONFLICT')
      expect((await api.getClaim(CLAIM, SIGNAL))?.meta.labels['a']).toBe('1')
    })

    it('take a write without a version, if it is the same claim', async () => {
      const { api } = await fresh(make)
      const seen = await createdClaim(api)
      const later = valueOf(await api.patchClaim(seen, { labels: { other: '1' } }, SIGNAL))
      const inAnyVersion = { ...seen, meta: { ...seen.meta, resourceVersion: '' } }
      const patched = valueOf(await api.patchClaim(inAnyVersion, { labels: { own: '1' } }, SIGNAL))
      expect(patched.meta.labels).toEqual({ ...later.meta.labels, own: '1' })
      expect(codeOf(await api.patchClaimStatus(inAnyVersion, { ...seen.status, conditions: [condition('Drained')] }, SIGNAL))).toBe('ok')
      const another = { ...inAnyVersion, meta: { ...inAnyVersion.meta, uid: uid('another') } }
      expect(codeOf(await api.patchClaim(another, { labels: { own: '2' } }, SIGNAL))).toBe('KUBE.CONFLICT')
      expect(codeOf(await api.patchClaimStatus(another, seen.status, SIGNAL))).toBe('KUBE.CONFLICT')
    })

    it('let one of two writers at once win', async () => {
      const { api } = await fresh(make)
      const seen = await createdClaim(api)
      const outcomes = await Promise.all(['1', '2'].map((a) => api.patchClaim(seen, { labels: { a } }, SIGNAL)))
      expect(outcomes.map(codeOf).sort()).toEqual(['KUBE.CONFLICT', 'ok'])
    })

    it('carry a status that leaves the rest alone', async () => {
      const { api } = await fresh(make)
      const claim = await createdClaim(api)
      const { status } = nodeClaim({ name: CLAIM, stage: 'registered' })
      const patched = valueOf(await api.patchClaimStatus(claim, { ...status, conditions: [condition('Launched')] }, SIGNAL))
      expect(patched.spec).toEqual(claim.spec)
      expect(patched.meta.labels).toEqual(claim.meta.labels)
      expect(patched.status).toMatchObject({ providerId: status.providerId, nodeName: status.nodeName, capacity: status.capacity })
      expect(patched.status.conditions).toEqual([condition('Launched')])
    })

    it('stay, marked, while a finalizer holds them, and go with the last one', async () => {
      const { api } = await fresh(make)
      const claim = await guardedClaim(api)
      const deleted = await api.deleteClaim(CLAIM, claim.meta.uid, SIGNAL)
      const marked = await api.getClaim(CLAIM, SIGNAL)
      expect(marked?.meta.deletedAt).toBeDefined()
      expect(deleted).toEqual(marked)
      await api.deleteClaim(CLAIM, claim.meta.uid, SIGNAL)
      if (marked !== undefined) expect(codeOf(await api.patchClaim(marked, { finalizers: [] }, SIGNAL))).toBe('ok')
      expect(await api.getClaim(CLAIM, SIGNAL)).toBeUndefined()
      if (marked !== undefined) expect(codeOf(await api.patchClaim(marked, { labels: { a: 'b' } }, SIGNAL))).toBe('KUBE.NOT_FOUND')
    })

    it('take no new finalizer once they are marked', async () => {
      const { api } = await fresh(make)
      const claim = await guardedClaim(api)
      await api.deleteClaim(CLAIM, claim.meta.uid, SIGNAL)
      const marked = await api.getClaim(CLAIM, SIGNAL)
      if (marked === undefined) expect.fail('the claim went in spite of its finalizer')
      expect(codeOf(await api.patchClaim(marked, { finalizers: [FINALIZER, 'example.com/other'] }, SIGNAL))).toBe('KUBE.INVALID')
    })

    it('go at once without a finalizer; one that is gone, or another of its name, counts as done', async () => {
      const { api } = await fresh(make)
      const claim = await unguardedClaim(api)
      expect(await api.deleteClaim(CLAIM, uid('somebody-else'), SIGNAL)).toBeUndefined()
      expect(await api.getClaim(CLAIM, SIGNAL)).toBeDefined()
      await api.deleteClaim(CLAIM, claim.meta.uid, SIGNAL)
      expect(await api.deleteClaim(CLAIM, claim.meta.uid, SIGNAL)).toBeUndefined()
      expect(await api.getClaim(CLAIM, SIGNAL)).toBeUndefined()
    })

    it('do not take an earlier life for this one', async () => {
      const { api } = await fresh(make)
      const earlier = await unguardedClaim(api)
      await api.deleteClaim(CLAIM, earlier.meta.uid, SIGNAL)
      const now = await createdClaim(api)
      expect(now.meta.uid).not.toBe(earlier.meta.uid)
      expect(codeOf(await api.patchClaim(earlier, { labels: { a: 'b' } }, SIGNAL))).toBe('KUBE.CONFLICT')
    })

    it('end with the reason of an aborted signal', async () => {
      const { api } = await fresh(make)
      await expect(api.createClaim(draft(), undefined, abortedSignal('enough'))).rejects.toBe('enough')
      expect(await api.listClaims(SIGNAL)).toEqual([])
    })
  })
}

function describeNodes(name: string, make: MakeClusterApi): void {
  describe(`nodes of ${name}`, () => {
    it('are read by name', async () => {
      const { api, makeNode } = await fresh(make)
      expect(await api.getNode(NODE, SIGNAL)).toBeUndefined()
      await makeNode(NODE, { a: 'b' })
      expect(await api.getNode(NODE, SIGNAL)).toMatchObject({ name: NODE, meta: { labels: { a: 'b' } } })
    })

    it('take labels, taints and finalizers, and keep what the patch does not name', async () => {
      const { api, makeNode } = await fresh(make)
      await makeNode(NODE, { a: 'b' })
      const node = await api.getNode(NODE, SIGNAL)
      if (node === undefined) expect.fail('no node')
      const taints = [{ key: TAINT_KEY.disrupted, effect: 'NoSchedule' }] as const
      const patched = valueOf(await api.patchNode(node, { labels: { c: 'd' }, taints, finalizers: [FINALIZER] }, SIGNAL))
      expect(patched).toMatchObject({ taints, meta: { labels: { a: 'b', c: 'd' }, finalizers: [FINALIZER] } })
      const again = valueOf(await api.patchNode(patched, { annotations: { 'karpenter.sh/e': 'f' } }, SIGNAL))
      expect(again).toMatchObject({
        taints,
        meta: { labels: { a: 'b', c: 'd' }, annotations: { 'karpenter.sh/e': 'f' }, finalizers: [FINALIZER] },
      })
      const bare = valueOf(
        await api.patchNode(again, { annotationsGone: ['karpenter.sh/e', 'never-there'], labelsGone: ['c', 'never-there'] }, SIGNAL),
      )
      expect(bare.meta.annotations).not.toHaveProperty('karpenter.sh/e')
      expect([bare.meta.labels['a'], bare.meta.labels['c']]).toEqual(['b', undefined])
      expect(codeOf(await api.patchNode(node, { labels: { c: 'x' } }, SIGNAL))).toBe('KUBE.CONFLICT')
      expect(valueOf(await api.patchNode(bare, { taints: [] }, SIGNAL)).taints).toEqual([])
    })

    it('have volumes, of which each is read by its name', async () => {
      const { api, makeAttachment } = await fresh(make)
      expect(await api.getVolumeAttachment('csi-1', SIGNAL)).toBeUndefined()
      await makeAttachment({ name: 'csi-1', node: NODE, volume: 'disk-1' })
      expect(await api.getVolumeAttachment('csi-1', SIGNAL)).toMatchObject({ name: 'csi-1', node: NODE, volumeName: 'disk-1' })
    })

    it('stay while a finalizer holds them', async () => {
      const { api, makeNode } = await fresh(make)
      await makeNode(NODE)
      const node = await api.getNode(NODE, SIGNAL)
      if (node === undefined) expect.fail('no node')
      valueOf(await api.patchNode(node, { finalizers: [FINALIZER] }, SIGNAL))
      await api.deleteNode(NODE, uid('somebody-else'), SIGNAL)
      expect((await api.getNode(NODE, SIGNAL))?.meta.deletedAt).toBeUndefined()
      await api.deleteNode(NODE, node.meta.uid, SIGNAL)
      const marked = await api.getNode(NODE, SIGNAL)
      expect(marked?.meta.deletedAt).toBeDefined()
      if (marked !== undefined) await api.patchNode(marked, { finalizers: [] }, SIGNAL)
      expect(await api.getNode(NODE, SIGNAL)).toBeUndefined()
      await api.deleteNode(NODE, node.meta.uid, SIGNAL)
    })
  })
}

function describeTheRest(name: string, make: MakeClusterApi): void {
  describe(`pools and classes of ${name}`, () => {
    it('carry a status', async () => {
      const { api } = await fresh(make)
      const pool = nodePoolName('default')
      const status = {
        conditions: [condition('Ready', { status: 'False', reason: 'Tried', message: 'tried' })],
        resources: { cpu: 4_000 },
        nodes: 1,
      }
      expect(codeOf(await api.patchNodePoolStatus(pool, status, SIGNAL))).toBe('ok')
      expect((await api.getNodePool(pool, SIGNAL))?.status).toMatchObject(status)
      const nodeClass = draft().spec.nodeClassRef.name
      expect(codeOf(await api.patchNodeClassStatus(nodeClass, { conditions: status.conditions }, SIGNAL))).toBe('ok')
      expect((await api.getNodeClass(nodeClass, SIGNAL))?.status.conditions).toEqual(status.conditions)
      const requirements = [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }]
      const versions = { kubernetesVersion: '1.34.2', images: [{ id: '/images/a', requirements }], localDnsState: 'Enabled' as const }
      expect(codeOf(await api.patchNodeClassStatus(nodeClass, { conditions: status.conditions, ...versions }, SIGNAL))).toBe('ok')
      expect(codeOf(await api.patchNodeClassStatus(nodeClass, { conditions: [] }, SIGNAL))).toBe('ok')
      expect((await api.getNodeClass(nodeClass, SIGNAL))?.status).toEqual({ conditions: [], ...versions })
    })

    it('get annotations beside those they have, and stay as they are otherwise', async () => {
      const { api } = await fresh(make)
      const pool = nodePoolName('default')
      const before = (await api.getNodePool(pool, SIGNAL)) ?? expect.fail('no pool')
      for (const annotations of [{ a: '1' }, { a: '1' }, { a: '2', b: '3' }])
        expect(codeOf(await api.annotateNodePool(pool, annotations, SIGNAL))).toBe('ok')
      const after = (await api.getNodePool(pool, SIGNAL)) ?? expect.fail('no pool')
      const { resourceVersion: _, ...meta } = before.meta
      expect(after).toMatchObject({ ...before, meta: { ...meta, annotations: { ...meta.annotations, a: '2', b: '3' } } })
    })

    it('get other finalizers and stay as they are otherwise, unless they were changed meanwhile', async () => {
      const { api } = await fresh(make)
      const name = draft().spec.nodeClassRef.name
      const before = (await api.getNodeClass(name, SIGNAL)) ?? expect.fail('no class')
      const finalizers = [...before.meta.finalizers, 'example.com/held']
      expect(codeOf(await api.patchNodeClassFinalizers(before, finalizers, SIGNAL))).toBe('ok')
      expect(codeOf(await api.patchNodeClassFinalizers(before, [], SIGNAL))).toBe('KUBE.CONFLICT')
      const after = (await api.getNodeClass(name, SIGNAL)) ?? expect.fail('no class')
      const { resourceVersion: _, ...meta } = before.meta
      expect(after).toMatchObject({ ...before, meta: { ...meta, finalizers } })
      expect(codeOf(await api.patchNodeClassFinalizers(after, before.meta.finalizers, SIGNAL))).toBe('ok')
      expect((await api.getNodeClass(name, SIGNAL))?.meta.finalizers).toEqual(before.meta.finalizers)
    })

    it('are told to be missing', async () => {
      const { api } = await fresh(make)
      expect(await api.getNodePool(nodePoolName('none'), SIGNAL)).toBeUndefined()
      const status = { conditions: [], resources: {}, nodes: 0 }
      expect(codeOf(await api.patchNodePoolStatus(nodePoolName('none'), status, SIGNAL))).toBe('KUBE.NOT_FOUND')
      expect(codeOf(await api.annotateNodePool(nodePoolName('none'), { a: '1' }, SIGNAL))).toBe('KUBE.NOT_FOUND')
      expect(codeOf(await api.patchNodeClassFinalizers(nodeClass({ name: 'none' }), [], SIGNAL))).toBe('KUBE.NOT_FOUND')
      expect(await api.listNodeOverlays(SIGNAL)).toEqual([])
      expect(codeOf(await api.patchNodeOverlayStatus('none', { conditions: [] }, SIGNAL))).toBe('KUBE.NOT_FOUND')
      expect(codeOf(await api.patchCapacityBufferStatus(objectKey('default', 'none'), { conditions: [] }, SIGNAL))).toBe('KUBE.NOT_FOUND')
    })
  })

  describe(`bootstrap tokens of ${name}`, () => {
    it('are one a claim, replaced by the next and taken away', async () => {
      const { api, tokenOf } = await fresh(make)
      const first = await api.putBootstrapToken(CLAIM, epochMs(NOW + 600_000), SIGNAL)
      expect(first).toMatch(/^[a-z0-9]{6}\.[a-z0-9]{16}$/)
      expect(await tokenOf(CLAIM)).toEqual({ token: first, expiresAt: NOW + 600_000 })
      const second = await api.putBootstrapToken(CLAIM, epochMs(NOW + 900_000), SIGNAL)
      expect(second).not.toBe(first)
      expect(await tokenOf(CLAIM)).toEqual({ token: second, expiresAt: NOW + 900_000 })
      await api.deleteBootstrapToken(CLAIM, SIGNAL)
      await api.deleteBootstrapToken(CLAIM, SIGNAL)
      expect(await tokenOf(CLAIM)).toBeUndefined()
    })

    it('leave those of other launches of the claim as they are, and go together', async () => {
      const { api, tokenOf } = await fresh(make)
      const { meta } = await createdClaim(api)
      const first = await api.putBootstrapToken(CLAIM, epochMs(NOW + 600_000), SIGNAL, { number: 1, uid: meta.uid })
      const second = await api.putBootstrapToken(CLAIM, epochMs(NOW + 900_000), SIGNAL, { number: 2, uid: meta.uid })
      expect(second.split('.')[0]).not.toBe(first.split('.')[0])
      expect((await tokenOf(CLAIM))?.token).toBe(first)
      await api.deleteBootstrapToken(CLAIM, SIGNAL, 2)
      expect(await tokenOf(CLAIM)).toBeUndefined()
    })
  })

  describe(`events of ${name}`, () => {
    it('are one when said again soon, also with other numbers', async () => {
      const { api, events } = await fresh(make)
      const subject = { kind: 'nodePool', name: 'default' } as const
      await api.publish({ subject, type: 'Normal', reason: 'Tried', message: 'once' }, SIGNAL)
      await api.publish({ subject, type: 'Normal', reason: 'Tried', message: 'once' }, SIGNAL)
      await api.publish({ subject, type: 'Warning', reason: 'Failed', message: '3 left', key: 'left' }, SIGNAL)
      await api.publish({ subject, type: 'Warning', reason: 'Failed', message: '2 left', key: 'left' }, SIGNAL)
      await api.publish({ subject, type: 'Warning', reason: 'Failed', message: 'other' }, SIGNAL)
      expect([...(await events())].sort()).toEqual(['Failed 3 left x1', 'Failed other x1', 'Tried once x1'])
    })

    it('tell who was the first to say it', async () => {
      const { api } = await fresh(make)
      const subject = { kind: 'nodePool', name: 'default' } as const
      const first: string[] = []
      for (const who of ['one', 'one', 'other'])
        await api.publish({ subject, type: 'Normal', reason: 'Tried', message: 'once' }, SIGNAL, () => void first.push(who))
      expect(first).toEqual(['one'])
    })
  })
}
