/** The hook installs the charts whatever owned the definitions before, with the real Helm on a real control plane. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ClusterAccess } from '../../cli/clusterAccess.ts'
import { adoptDefinitions } from '../../infra/hooks/adoptDefinitions.ts'
import { installCharts } from '../../infra/hooks/installCharts.ts'
import { createKubeTransport } from '../../shared/adapters/kube/kubeTransport.ts'
import { createSystemClock } from '../../shared/adapters/system/systemClock.ts'
import { definitionManifest } from '../../shared/wire/schema/definitionManifest.ts'
import { RESOURCE_DEFINITIONS } from '../../shared/wire/schema/definitions.ts'
import { commandsOf, read } from '../docs/pages.ts'
import { CAN_INSTALL, type ChartCluster, LIMIT_MS, startChartCluster, until, WHY_NOT } from './chartCluster.ts'
import { CRD_CHART, helm } from './helm.ts'
import { REQUIRED } from './valueSets.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const ACCOUNTS = '/api/v1/namespaces/kube-system/serviceaccounts'

describe.skipIf(!CAN_INSTALL)(`definitions of somebody else${WHY_NOT}`, { timeout: LIMIT_MS }, () => {
  let cluster: ChartCluster
  let access: ClusterAccess
  const printed: string[] = []

  beforeAll(async () => {
    cluster = await startChartCluster()
    await create(ACCOUNTS, { metadata: { name: 'deployer' } })
    await create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'deployer' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'deployer', namespace: 'kube-system' }],
    })
    const issued = await create(`${ACCOUNTS}/deployer/token`, { spec: { expirationSeconds: 3600 } })
    const { token } = (issued as { readonly status: { readonly token: string } }).status
    const server = {
      server: cluster.plane.url,
      caBundle: Buffer.from(cluster.plane.caCertificate).toString('base64'),
      token: () => Promise.resolve(token),
    }
    access = { ...server, call: createKubeTransport({ ...server, clock: createSystemClock() }) }
  }, LIMIT_MS)
  afterAll(() => cluster?.close())

  const create = async (path: string, body: object, query = {}): Promise<unknown> => {
    const answer = await cluster.admin({ method: 'POST', path, body, query })
    expect(answer).toMatchObject({ code: 200 })
    return answer.body
  }
  const ownersOf = async (): Promise<readonly string[]> => {
    const { items } = (await cluster.admin({ method: 'GET', path: DEFINITIONS })).body as {
      readonly items: readonly { readonly metadata: { readonly annotations?: { readonly [name: string]: string } } }[]
    }
    return items.map(
      ({ metadata: { annotations = {} } }) =>
        `${annotations['meta.helm.sh/release-namespace']}/${annotations['meta.helm.sh/release-name']}`,
    )
  }
  const install = async (): Promise<void> => {
    printed.length = 0
    const run: Parameters<typeof installCharts>[0]['run'] = async (_, args) => helm(args)
    await installCharts({ run, environment: {}, print: (line) => void printed.push(line) }, access, {
      namespace: 'joiner',
      values: REQUIRED,
    })
  }
  const clear = async (): Promise<void> => {
    for (const release of ['joiner', 'joiner-crd']) await cluster.helm(['uninstall', release, '--wait'])
    for (const { group, plural } of RESOURCE_DEFINITIONS) {
      const path = `${DEFINITIONS}/${plural}.${group}`
      await cluster.admin({ method: 'DELETE', path })
      await until(async () => (await cluster.admin({ method: 'GET', path })).code === 404)
    }
  }

  it('as kubectl applied them, older and with fields of its own, are taken over and renewed', async () => {
    for (const definition of RESOURCE_DEFINITIONS) {
      const manifest = definitionManifest(definition)
      const versions = manifest.spec.versions.map((version) => ({ ...version, additionalPrinterColumns: [] }))
      await create(DEFINITIONS, { ...manifest, spec: { ...manifest.spec, versions } }, { fieldManager: 'kubectl-client-side-apply' })
    }
    await install()
    expect(new Set(await ownersOf())).toEqual(new Set(['joiner/joiner-crd']))
    expect(printed).toEqual([expect.stringMatching(/^ok {4}the definitions .*nodepools\.karpenter\.sh.* are taken over$/)])
    const pools = (await cluster.admin({ method: 'GET', path: `${DEFINITIONS}/nodepools.karpenter.sh` })).body
    expect(JSON.stringify(pools)).toContain('additionalPrinterColumns')
    await install()
    expect(printed).toEqual([])
  })

  it.each([
    ['karpenter-crd', 'kube-system'],
    ['joiner-crd', 'default'],
    ['joiner-crd', 'joiner'],
  ])('of the release %s in namespace %s are taken over, with a warning where it is another', async (name, namespace) => {
    await clear()
    const args = ['install', name, CRD_CHART, '--kubeconfig', cluster.plane.kubeconfigFile, '--namespace', namespace, '--create-namespace']
    expect((await helm(args)).code).toBe(0)
    await install()
    expect(new Set(await ownersOf())).toEqual(new Set(['joiner/joiner-crd']))
    expect(printed).toEqual(
      namespace === 'joiner'
        ? []
        : [expect.stringContaining(`kubectl --namespace ${namespace} delete secret --selector owner=helm,name=${name}`)],
    )
  })

  it('of karpenter-crd, taken over as the page on migration has it, are those of the hook then', async () => {
    await clear()
    const where = ['--kubeconfig', cluster.plane.kubeconfigFile]
    expect((await helm(['install', 'karpenter-crd', CRD_CHART, '--namespace', 'karpenter', '--create-namespace', ...where])).code).toBe(0)
    const [command = '', ...others] = commandsOf(read('docs/migrate.md')).filter((each) => each.startsWith('helm install joiner-crd '))
    expect(others).toEqual([])
    const [, ...args] = command.split(' ')
    const own = args.map((each) => (each === 'charts/joiner-crd' ? CRD_CHART : each))
    expect(await helm([...own, ...where])).toMatchObject({ code: 0 })
    await install()
    expect(new Set(await ownersOf())).toEqual(new Set(['joiner/joiner-crd']))
    expect(printed).toEqual([])
  })

  it('cannot be read by everybody: the refusal is named', async () => {
    const call: ClusterAccess['call'] = async () => ({ status: 403, json: {} })
    await expect(adoptDefinitions({ call }, { name: 'joiner-crd', namespace: 'joiner' })).rejects.toThrow(
      'KUBE.FAILED   the API server answered 403 to: read the definition',
    )
  })
})
