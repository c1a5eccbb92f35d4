import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeCluster } from '../../cli/down/closeCluster.ts'
import { clusterRest, removeClusterRest } from '../../cli/down/clusterRest.ts'
import type { DownCluster } from '../../cli/down/downCluster.ts'
import { ourReleases, uninstall } from '../../cli/down/releases.ts'
import { createKubeTransport } from '../../shared/adapters/kube/kubeTransport.ts'
import { clusterId } from '../../shared/model/ids.ts'
import { REAL_CLOCK, SIGNAL } from '../azure/harness.ts'
import { CAN_INSTALL, type Caller, type ChartCluster, LIMIT_MS, startChartCluster, WHY_NOT } from './chartCluster.ts'
import { CHART, NAMESPACE } from './helm.ts'
import { NODE_POOL, token } from './someObjects.ts'
import { APP_OBJECT_ID, REQUIRED } from './valueSets.ts'

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
const SECRETS = '/api/v1/namespaces/kube-system/secrets'
const OF_RELEASE = { name: 'joiner', namespace: NAMESPACE }

describe.skipIf(!CAN_INSTALL)(`the charts, when Joiner is taken away${WHY_NOT}`, { timeout: LIMIT_MS }, () => {
  let cluster: ChartCluster
  let app: Caller
  let down: Pick<DownCluster, 'id' | 'call' | 'helm'>
  beforeAll(async () => {
    cluster = await startChartCluster()
    app = cluster.as(APP_OBJECT_ID)
    await cluster.installCharts()
    const admin = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' }
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'remover' }]
    await made('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', { metadata: { name: 'remover' }, roleRef: admin, subjects })
    await made('/apis/karpenter.sh/v1/nodepools', NODE_POOL)
    await made(SECRETS, token('joined', { 'auth-extra-groups': 'system:bootstrappers:joiner,system:bootstrappers:joiner:joiner-a' }))
    await made(SECRETS, token('foreig', { 'auth-extra-groups': 'system:bootstrappers:aks' }))
    await made(`/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`, { metadata: { name: 'joiner-shim' } })
    const call = createKubeTransport({
      server: await cluster.doorOf('remover'),
      caBundle: undefined,
      token: () => Promise.resolve('unused'),
      clock: REAL_CLOCK,
    })
    down = { id: clusterId('shop'), call, helm: (args) => cluster.helm(args) }
  }, LIMIT_MS)
  afterAll(() => cluster?.close())

  async function made(path: string, body: object): Promise<void> {
    expect(await cluster.admin({ method: 'POST', path, body })).toMatchObject({ code: 200 })
  }

  async function mayApp(verb: string): Promise<boolean> {
    const body = { spec: { resourceAttributes: { group: 'karpenter.sh', resource: 'nodeclaims', verb } } }
    const answer = await app({ method: 'POST', path: REVIEWS, body })
    return (answer.body as { status: { allowed: boolean } }).status.allowed
  }

  it('leave the app all but the right to make NodeClaims, and give it back when they are installed again', async () => {
    expect([await mayApp('create'), await mayApp('delete')]).toEqual([true, true])
    expect(await closeCluster(down, SIGNAL)).toBe(true)
    await expect.poll(() => mayApp('create')).toBe(false)
    expect([await mayApp('delete'), await mayApp('patch')]).toEqual([true, true])
    expect(await closeCluster(down, SIGNAL)).toBe(false)
    const again = await cluster.helm(['upgrade', 'joiner', CHART], REQUIRED)
    expect(again.errors).toBe('')
    await expect.poll(() => mayApp('create')).toBe(true)
  })

  it('go with all that app and shim wrote, and leave pools and definitions', async () => {
    await closeCluster(down, SIGNAL)
    const releases = await ourReleases(down, ['joiner', 'joiner-crd'], SIGNAL)
    expect(releases.map(({ name }) => name).sort()).toEqual(['joiner', 'joiner-crd'])
    for (const release of releases) await uninstall(down, release)
    expect(await ourReleases(down, ['joiner', 'joiner-crd'], SIGNAL)).toEqual([])
    expect(await clusterRest(down, OF_RELEASE, SIGNAL)).toHaveLength(2)
    await removeClusterRest(down, OF_RELEASE, SIGNAL)
    expect(await clusterRest(down, OF_RELEASE, SIGNAL)).toEqual([])
    expect(await mayApp('delete')).toBe(false)
    expect(await cluster.admin({ method: 'GET', path: '/apis/karpenter.sh/v1/nodepools/default' })).toMatchObject({ code: 200 })
    expect(await cluster.admin({ method: 'GET', path: `${SECRETS}/bootstrap-token-foreig` })).toMatchObject({ code: 200 })
    // Uninstalling again changes nothing.
    for (const release of releases) await uninstall(down, release)
  })
})
