import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse, stringify } from 'yaml'
import { collectionPath, type Manifest, objectPath, parseManifests } from '../../local/manifests.ts'
import { CAN_INSTALL, type ChartCluster, LIMIT_MS, startChartCluster, until, WHY_NOT } from './chartCluster.ts'
import { CHART, CRD_CHART, helm, NAMESPACE, render } from './helm.ts'
import { nameOf } from './manifest.ts'
import { MONITOR_DEFINITIONS, NODE_CLASS, NODE_POOL, SPOT_NODE } from './someObjects.ts'
import { REQUIRED, VALUE_SETS } from './valueSets.ts'

const DEPLOYMENT = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/joiner-shim`
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`
const POOLS = '/apis/karpenter.sh/v1/nodepools'
const CLASSES = '/apis/karpenter.azure.com/v1beta1/aksnodeclasses'
const POOL_DEFINITION = 'nodepools.karpenter.sh'
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

describe.skipIf(!CAN_INSTALL)(`the charts on a real control plane${WHY_NOT}`, { timeout: LIMIT_MS }, () => {
  let cluster: ChartCluster
  beforeAll(async () => {
    cluster = await startChartCluster()
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
    await create('/api/v1/namespaces', { metadata: { name: NAMESPACE, labels } })
    await until(async () => (await get(`/api/v1/namespaces/${NAMESPACE}/serviceaccounts/default`)).code === 200)
    for (const definition of MONITOR_DEFINITIONS) await create(DEFINITIONS, definition)
    await until(async () => (await get('/apis/azmonitoring.coreos.com/v1/podmonitors')).code === 200)
  }, LIMIT_MS)
  afterAll(() => cluster?.close())

  const get = (path: string) => cluster.admin({ method: 'GET', path })
  const create = async (path: string, body: object) =>
    expect(await cluster.admin({ method: 'POST', path, body })).toMatchObject({ code: 200 })
  const helmDoes = async (...[args, values]: Parameters<ChartCluster['helm']>) => {
    const outcome = await cluster.helm(args, values)
    expect(outcome.errors.split('\n').filter((line) => line.startsWith('Error'))).toEqual([])
    return outcome.out
  }

  for (const [sentence, { values, ...options }] of Object.entries(VALUE_SETS)) {
    it(`with ${sentence}, every object is taken in a dry run`, async () => {
      const query = { dryRun: 'All', fieldValidation: 'Strict' }
      for (const object of await render(values, options)) {
        const answer = await cluster.admin({ method: 'POST', path: collectionPath(object), query, body: object })
        expect({ object: nameOf(object), ...answer }).toMatchObject({ object: nameOf(object), code: 200 })
      }
    })
  }

  it('joiner waits for the definitions, and says so', async () => {
    const refused = await cluster.helm(['install', 'joiner', CHART], REQUIRED)
    expect(refused.code).not.toBe(0)
    expect(refused.errors).toContain('this cluster has no definition nodepools.karpenter.sh: install the chart joiner-crd first')
  })

  it('install, and the pods pass the restricted Pod Security admission', async () => {
    await helmDoes(['install', 'joiner-crd', CRD_CHART])
    await until(async () => (await get(POOLS)).code === 200 && (await get(CLASSES)).code === 200)
    const notes = await helmDoes(['install', 'joiner', CHART], REQUIRED)
    expect(notes).toContain(`${NAMESPACE}/joiner-shim\n`)
    expect(notes).toContain(`system:serviceaccount:${NAMESPACE}:joiner-spot`)
    await create('/api/v1/nodes', SPOT_NODE)
    await until(async () => (await podNames()).filter((name) => name.startsWith('joiner-shim-')).length === 2)
    await until(async () => (await podNames()).some((name) => name.startsWith('joiner-spot-')))
  })

  it('have admission policies whose expressions the API server finds nothing wrong with', async () => {
    const policies = (await render(REQUIRED)).filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')
    expect(policies).toHaveLength(6)
    for (const policy of policies) {
      type Policy = { readonly status?: { readonly observedGeneration?: number; readonly typeChecking?: object } }
      let seen: Policy = {}
      await until(async () => {
        seen = (await get(objectPath(policy))).body as Policy
        return seen.status?.observedGeneration !== undefined
      })
      expect({ policy: nameOf(policy), ...seen.status?.typeChecking }).toEqual({ policy: nameOf(policy) })
    }
  })

  it('upgrade, roll back, and keep the custom resources all the while', async () => {
    await create(CLASSES, NODE_CLASS)
    await create(POOLS, NODE_POOL)
    expect(await windowOf()).toBeUndefined()
    await helmDoes(['upgrade', 'joiner-crd', CRD_CHART])
    await helmDoes(['upgrade', 'joiner', CHART], { ...REQUIRED, shim: { replicas: 3, settings: { batchWindowMs: 250 } } })
    expect(await windowOf()).toBe('250')
    await helmDoes(['upgrade', 'joiner', CHART, '--reset-then-reuse-values'])
    expect(await windowOf()).toBe('250')
    await helmDoes(['rollback', 'joiner', '1'])
    await helmDoes(['rollback', 'joiner-crd', '1'])
    expect(await windowOf()).toBeUndefined()
    expect((await get(`${POOLS}/default`)).code).toBe(200)
  })

  it('bring the definitions up to date with an upgrade, and back with a rollback', async () => {
    expect(await columnsOf(POOL_DEFINITION)).not.toContain('Uid')
    await helmDoes(['upgrade', 'joiner-crd', nextDefinitions()])
    expect(await columnsOf(POOL_DEFINITION)).toContain('Uid')
    await helmDoes(['rollback', 'joiner-crd', '1'])
    expect(await columnsOf(POOL_DEFINITION)).not.toContain('Uid')
    expect((await get(`${POOLS}/default`)).code).toBe(200)
  })

  it('are uninstalled without a trace, but for definitions and custom resources', async () => {
    const objects = (await render(REQUIRED)).filter(({ kind }) => kind !== 'Pod')
    await helmDoes(['uninstall', 'joiner', '--wait'])
    await helmDoes(['uninstall', 'joiner-crd', '--wait'])
    for (const object of objects) {
      expect({ object: nameOf(object), code: (await get(objectPath(object))).code }).toEqual({ object: nameOf(object), code: 404 })
    }
    expect((await get(`${POOLS}/default`)).code).toBe(200)
    expect((await get(`${CLASSES}/default`)).code).toBe(200)
    for (const { metadata } of await definitions()) expect((await get(`${DEFINITIONS}/${metadata.name}`)).code).toBe(200)
  })

  it('install again over what was left', async () => {
    await helmDoes(['install', 'joiner-crd', CRD_CHART])
    await helmDoes(['install', 'joiner', CHART], REQUIRED)
    expect((await get(`${POOLS}/default`)).code).toBe(200)
  })

  it('take over definitions that somebody else applied, when told to', async () => {
    await helmDoes(['uninstall', 'joiner-crd', '--wait'])
    const annotations = { 'meta.helm.sh/release-name': null, 'meta.helm.sh/release-namespace': null }
    const body = { metadata: { annotations, labels: { 'app.kubernetes.io/managed-by': null } } }
    const contentType = 'application/merge-patch+json'
    for (const { metadata } of await definitions())
      expect(await cluster.admin({ method: 'PATCH', path: `${DEFINITIONS}/${metadata.name}`, body, contentType })).toMatchObject({
        code: 200,
      })
    expect((await cluster.helm(['install', 'joiner-crd', CRD_CHART])).errors).toContain('invalid ownership metadata')
    await helmDoes(['install', 'joiner-crd', CRD_CHART, '--take-ownership'])
    expect((await get(`${POOLS}/default`)).code).toBe(200)
  })

  async function definitions(): Promise<readonly Manifest[]> {
    return parseManifests((await helm(['template', 'joiner-crd', CRD_CHART])).out)
  }

  async function columnsOf(definition: string): Promise<readonly string[]> {
    const { spec } = (await get(`${DEFINITIONS}/${definition}`)).body as { readonly spec: DefinitionSpec }
    return spec.versions.flatMap(({ additionalPrinterColumns = [] }) => additionalPrinterColumns.map(({ name }) => name))
  }

  async function podNames(): Promise<readonly string[]> {
    const { items } = (await get(PODS)).body as { readonly items: readonly { readonly metadata: { readonly name: string } }[] }
    return items.map(({ metadata }) => metadata.name)
  }

  async function windowOf(): Promise<string | undefined> {
    type Env = readonly { readonly name: string; readonly value?: string }[]
    const { spec } = (await get(DEPLOYMENT)).body as {
      readonly spec: { readonly template: { readonly spec: { readonly containers: readonly { readonly env: Env }[] } } }
    }
    return spec.template.spec.containers[0]?.env.find(({ name }) => name === 'BATCH_WINDOW_MS')?.value
  }
})

type DefinitionSpec = { readonly versions: { additionalPrinterColumns?: { readonly name: string }[] }[] }

/** The chart of the definitions as a later version: NodePools have one more printer column. */
function nextDefinitions(): string {
  const folder = mkdtempSync(join(tmpdir(), 'joiner-crd-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  cpSync(CRD_CHART, folder, { recursive: true })
  const file = join(folder, 'templates', `${POOL_DEFINITION}.yaml`)
  const manifest = parse(readFileSync(file, 'utf8')) as { readonly spec: DefinitionSpec }
  const column = { name: 'Uid', type: 'string', jsonPath: '.metadata.uid' }
  for (const version of manifest.spec.versions) version.additionalPrinterColumns = [...(version.additionalPrinterColumns ?? []), column]
  writeFileSync(file, stringify(manifest))
  return folder
}
