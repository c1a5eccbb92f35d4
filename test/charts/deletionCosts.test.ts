import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { objectKey, uid } from '../../shared/model/ids.ts'
import { PLANNED_DELETION_COST, POD_ANNOTATION } from '../../shared/model/labels.ts'
import type { PodRef } from '../../shared/model/pod.ts'
import type { ClusterApi } from '../../shared/ports/clusterApi.ts'
import { codeOf, SIGNAL } from '../conformance/harness.ts'
import { appApi } from './appStory.ts'
import { CAN_INSTALL, type Caller, type ChartCluster, LIMIT_MS, startChartCluster, until, WHY_NOT } from './chartCluster.ts'
import { auditOf } from './rights.ts'
import { node } from './someObjects.ts'
import { APP_OBJECT_ID, COSTING } from './valueSets.ts'

const COST = POD_ANNOTATION.deletionCost
const PODS = '/api/v1/namespaces/default/pods'
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
const MERGE = 'application/merge-patch+json'
const STRATEGIC = 'application/strategic-merge-patch+json'
const PLANNED = 'joiner-default-planned'
const STAYING = 'joiner-default-staying'

type SeenPod = {
  readonly metadata: { readonly name: string; readonly uid: string; readonly annotations?: { readonly [key: string]: string } }
  readonly spec: { readonly nodeName?: string }
}

describe.skipIf(!CAN_INSTALL)(`deletion costs of pods with the rights of the chart${WHY_NOT}`, { timeout: LIMIT_MS }, () => {
  let cluster: ChartCluster
  let app: Caller
  let api: ClusterApi
  beforeAll(async () => {
    cluster = await startChartCluster()
    app = cluster.as(APP_OBJECT_ID)
    await cluster.installCharts(COSTING)
    api = appApi(await cluster.doorOf(APP_OBJECT_ID))
    for (const name of [PLANNED, STAYING]) await made('/api/v1/nodes', node(name, { 'karpenter.sh/nodepool': 'default' }))
    await made(PODS, plainPod('plain'))
    await made(PODS, plainPod('own', { [COST]: '5' }))
    await made(PODS, plainPod('costed', { [COST]: PLANNED_DELETION_COST }))
    const body = { metadata: { labels: { tried: 'yes' } } }
    // An admission policy takes effect a moment after its creation.
    await until(async () => {
      const answer = await app({ method: 'PATCH', path: `${PODS}/plain`, body, query: { dryRun: 'All' }, contentType: MERGE })
      return answer.code === 403 && answer.message.includes('ValidatingAdmissionPolicy')
    })
  }, LIMIT_MS)
  afterAll(() => cluster?.close())

  async function made(path: string, body: object): Promise<void> {
    expect(await cluster.admin({ method: 'POST', path, body })).toMatchObject({ code: 200 })
  }

  async function podsOf(set: string): Promise<readonly SeenPod[]> {
    const { body } = await cluster.admin({ method: 'GET', path: PODS, query: { labelSelector: `set=${set}` } })
    return (body as { items: readonly SeenPod[] }).items
  }

  async function refOf(name: string): Promise<PodRef> {
    const { body } = await cluster.admin({ method: 'GET', path: `${PODS}/${name}` })
    return refIn(body as SeenPod)
  }

  async function scaled(set: string, replicas: number): Promise<void> {
    const body = { spec: { replicas } }
    expect(await cluster.admin({ method: 'PATCH', path: `${DEPLOYMENTS}/${set}`, body, contentType: MERGE })).toMatchObject({ code: 200 })
    await until(async () => (await podsOf(set)).length === replicas)
  }

  /** A Deployment with two ready pods on the planned node, and four on the node that stays. */
  async function spread(name: string): Promise<void> {
    const labels = { set: name }
    const template = { metadata: { labels }, spec: { ...SPEC, schedulerName: 'none' } }
    await made(DEPLOYMENTS, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: { replicas: 6, selector: { matchLabels: labels }, template },
    })
    await until(async () => (await podsOf(name)).length === 6)
    for (const [index, { metadata }] of (await podsOf(name)).entries()) {
      const target = { apiVersion: 'v1', kind: 'Node', name: index < 2 ? PLANNED : STAYING }
      await made(`${PODS}/${metadata.name}/binding`, { apiVersion: 'v1', kind: 'Binding', metadata: { name: metadata.name }, target })
      const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] }
      const path = `${PODS}/${metadata.name}/status`
      expect(await cluster.admin({ method: 'PATCH', path, body: { status }, contentType: MERGE })).toMatchObject({ code: 200 })
    }
  }

  async function nodesOf(set: string): Promise<readonly (string | undefined)[]> {
    return (await podsOf(set)).map(({ spec }) => spec.nodeName).sort()
  }

  it('empty the planned node first when their Deployment is scaled down, and without them the fuller node shrinks', async () => {
    await spread('costed')
    await spread('uncosted')
    for (const each of await podsOf('costed'))
      if (each.spec.nodeName === PLANNED) expect(codeOf(await api.setDeletionCost(refIn(each), PLANNED_DELETION_COST, SIGNAL))).toBe('ok')
    await scaled('costed', 4)
    await scaled('uncosted', 4)
    expect(await nodesOf('costed')).toEqual([STAYING, STAYING, STAYING, STAYING])
    expect(await nodesOf('uncosted')).toEqual([PLANNED, PLANNED, STAYING, STAYING])
  })

  it('are written and removed again, and a second time changes nothing', async () => {
    const plain = await refOf('plain')
    for (const cost of [PLANNED_DELETION_COST, PLANNED_DELETION_COST, undefined, undefined]) {
      expect(codeOf(await api.setDeletionCost(plain, cost, SIGNAL))).toBe('ok')
      const { body } = await cluster.admin({ method: 'GET', path: `${PODS}/plain` })
      expect((body as SeenPod).metadata.annotations?.[COST]).toBe(cost)
    }
    expect(auditOf(cluster.plane, APP_OBJECT_ID).used).toContain('patch core/pods')
  })

  it('that a user has set stay, whatever the app asks for', async () => {
    const own = await refOf('own')
    for (const cost of [PLANNED_DELETION_COST, undefined])
      expect(codeOf(await api.setDeletionCost(own, cost, SIGNAL))).toBe('KUBE.FORBIDDEN')
  })

  const ONLY = 'only the annotation controller.kubernetes.io/pod-deletion-cost'
  const OWN = `only its own deletion cost, ${PLANNED_DELETION_COST}`
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'any', uid: '0f8a6b1e-52c4-4b0d-9a37-6d1f2e3c4b5a' }
  it.each<[sentence: string, pod: string, body: object, want: string]>([
    ['another cost', 'plain', { metadata: { annotations: { [COST]: '-1' } } }, OWN],
    ["another cost in place of Joiner's", 'costed', { metadata: { annotations: { [COST]: '1' } } }, OWN],
    ['another annotation', 'plain', { metadata: { annotations: { note: 'x' } } }, ONLY],
    ['another annotation beside the cost', 'plain', { metadata: { annotations: { [COST]: PLANNED_DELETION_COST, note: 'x' } } }, ONLY],
    ['the removal of another annotation', 'plain', { metadata: { annotations: { kept: null } } }, ONLY],
    ['another value of another annotation', 'plain', { metadata: { annotations: { kept: 'no' } } }, ONLY],
    ['a label', 'plain', { metadata: { labels: { app: 'other' } } }, ONLY],
    ['a finalizer', 'plain', { metadata: { finalizers: ['example.com/held'] } }, ONLY],
    ['an owner', 'plain', { metadata: { ownerReferences: [owner] } }, ONLY],
    ['an image', 'plain', { spec: { containers: [{ name: 'main', image: 'other' }] } }, ONLY],
    ['a deadline', 'plain', { spec: { activeDeadlineSeconds: 5 } }, ONLY],
    ['a toleration', 'plain', { spec: { tolerations: [{ key: 'a', operator: 'Exists' }] } }, ONLY],
  ])('do not let the app write %s', async (_sentence, name, body, want) => {
    const answer = await app({ method: 'PATCH', path: `${PODS}/${name}`, body, contentType: STRATEGIC })
    expect(answer).toMatchObject({ code: 403, message: expect.stringContaining(want) })
  })

  it('leave other users of the cluster alone', async () => {
    const body = { metadata: { annotations: { [COST]: '3' } } }
    expect(await cluster.admin({ method: 'PATCH', path: `${PODS}/plain`, body, contentType: MERGE })).toMatchObject({ code: 200 })
  })
})

const SPEC = { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image: 'pause' }] }

function plainPod(name: string, annotations: { readonly [key: string]: string } = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, annotations: { kept: 'yes', ...annotations } },
    spec: { ...SPEC, schedulerName: 'none' },
  }
}

function refIn({ metadata }: SeenPod): PodRef {
  return { key: objectKey('default', metadata.name), uid: uid(metadata.uid) }
}
