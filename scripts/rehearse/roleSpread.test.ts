/** Azure knows new roles and assignments some minutes later. `azd up` waits for both, on the clock of the test. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ArmAnswer } from '../../cli/armCall.ts'
import { createEvaluator } from '../../infra/check/evaluate/evaluate.ts'
import type { Json } from '../../infra/check/evaluate/value.ts'
import { runPostroles, runPredeploy } from '../../infra/hooks/runRoleWaits.ts'
import { HAS_BUILT_IN_ROLES } from '../../infra/rights/builtInRoles.ts'
import { textAt } from '../../local/azure/json.ts'
import { type ArmInMemory, armInMemory } from '../../local/azure/testing/armInMemory.ts'
import { epochMs } from '../../shared/model/units.ts'
import { repositoryRoot } from '../floors.ts'
import type { ArmCaller } from './armCaller.ts'
import { createDataRights } from './dataRights.ts'
import { type Deployment, deployTemplate, objectOf, textOf } from './deployTemplate.ts'
import { clusterParameter } from './localCluster.ts'

const MINUTE = 60_000
const ASSIGNMENT_SPREAD = 10 * MINUTE
const read = (path: string): string | undefined =>
  existsSync(join(repositoryRoot, path)) ? readFileSync(join(repositoryRoot, path), 'utf8') : undefined
const evaluator = await createEvaluator(read)

let cloud: ArmInMemory
let lines: string[]
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.parse('2026-11-28T00:00:00Z') })
  cloud = armInMemory({ durations: { definitionSpread: 5 * MINUTE, assignmentSpread: ASSIGNMENT_SPREAD } })
  lines = []
  holdBuiltInRoles()
})
afterEach(() => void vi.useRealTimers())

/** Azure's own roles are old. */
function holdBuiltInRoles(): void {
  const roles: Json = JSON.parse(read('infra/roles.json') ?? '')
  for (const id of Object.values(objectOf(objectOf(roles)['builtIn'] ?? null))) {
    const path = `/subscriptions/${cloud.arm.settings.subscriptionId}/providers/Microsoft.Authorization/roleDefinitions/${textOf(id)}`
    cloud.arm.state.documents.set(path.toLowerCase(), { id: path, name: textOf(id), properties: { type: 'BuiltInRole' } })
  }
}

const caller: ArmCaller = async (method, id, version, body) => {
  const { status, body: answered } = await cloud.call(method, `${id}?api-version=${version}`, body)
  const parsed: Json = JSON.parse(JSON.stringify(answered ?? null))
  return { status, body: parsed }
}

function deploy(main: string): Promise<Deployment> {
  const { subscriptionId, tenantId, location } = cloud.arm.settings
  return deployTemplate({
    evaluator,
    arm: caller,
    main,
    parameters: parametersOf(),
    deploymentContext: { subscriptionId, tenantId, location, deployerObjectId: 'd', now: new Date().toISOString() },
  })
}

function parametersOf(): { readonly [name: string]: Json } {
  const { documents } = cloud.arm.state
  const clusterResourceId = [...documents.values()].find(({ id }) => /\/managedClusters\/[^/]+$/.test(id))?.id ?? ''
  const { subnetId, location } = cloud.arm.settings
  const cluster = clusterParameter({ clusterResourceId, subnetId, getResource: (id) => documents.get(id.toLowerCase()) }, 'local')
  return { environmentName: 'dev', location, clusters: [cluster] }
}

/** Runs a hook with the outputs of a layer. Returns how many minutes it took. */
async function hook(run: typeof runPostroles, outputs: Deployment['outputs'] = {}): Promise<number> {
  const started = Date.now()
  const environment = {
    AZURE_SUBSCRIPTION_ID: cloud.arm.settings.subscriptionId,
    ...Object.fromEntries(
      Object.entries(outputs).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
    ),
  }
  const arm = async ({ method, path, version }: { method: string; path: string; version: string }): Promise<ArmAnswer> => {
    const { status, body } = await cloud.call(method, `${path}${path.includes('?') ? '&' : '?'}api-version=${version}`)
    return { status, body, headers: {} }
  }
  const clock = { now: () => epochMs(Date.now()), sleep: async (ms: number) => void (await vi.advanceTimersByTimeAsync(ms)) }
  const web = () => Promise.reject(new Error('only the hook of a private app asks for the way to it'))
  expect(await run({ environment, access: { arm, clock, web }, print: (line) => void lines.push(line) })).toBe(0)
  return (Date.now() - started) / MINUTE
}

const mayWriteBlob = (principalId: string, place: string): boolean | undefined => {
  const documents = [...cloud.arm.state.documents.values()]
  const account = documents.find(({ id }) => /\/storageAccounts\/[^/]+$/.test(id))?.id ?? ''
  const { judge } = createDataRights(documents, account, ASSIGNMENT_SPREAD)
  const need = {
    actions: ['blobServices/containers/blobs/write'],
    isData: true,
    place: `/blobServices/default/containers/${place}`,
  } as const
  return judge?.(principalId, need, { service: 'blob', method: 'PUT', path: '/', headers: {} })
}

describe('roles that spread', () => {
  it('cannot be assigned in the deployment that defines them', async () => {
    await expect(deploy('infra/main.bicep')).rejects.toThrow('RoleDefinitionDoesNotExist')
  })

  it('cannot be assigned right after the layer that defines them', async () => {
    await deploy('infra/roles.bicep')
    await expect(deploy('infra/main.bicep')).rejects.toThrow('RoleDefinitionDoesNotExist')
  })

  it('can be assigned after the hook of that layer, and the hook says on what it waits', async () => {
    const { outputs } = await deploy('infra/roles.bicep')
    const minutes = await hook(runPostroles, outputs)
    expect([minutes >= 5, minutes <= 10]).toEqual([true, true])
    expect(lines).toEqual(['wait  until all of Azure knows the roles of the app, at most 10 minutes'])
    await deploy('infra/main.bicep')
  })

  it.skipIf(!HAS_BUILT_IN_ROLES)('let the app and the topics use storage only after the hook before the deployment', async () => {
    await hook(runPostroles, (await deploy('infra/roles.bicep')).outputs)
    const { outputs } = await deploy('infra/main.bicep')
    const app = textOf(outputs['JOINER_APP_PRINCIPAL_ID'])
    const [topic = ''] = [...cloud.arm.state.documents.values()].flatMap((each) =>
      /\/systemTopics\/[^/]+$/.test(each.id) ? [textAt(each, 'identity.principalId') ?? ''] : [],
    )
    expect([mayWriteBlob(app, 'app-package'), mayWriteBlob(topic, 'dead-letters')]).toEqual([false, false])
    vi.setSystemTime(Date.now() + 2.5 * MINUTE)
    expect(await hook(runPredeploy, outputs)).toBe(7.5)
    expect(lines.at(-1)).toBe('wait  until the roles on the storage account hold: 8 minutes, of the 10 that Azure may take')
    expect([mayWriteBlob(app, 'app-package'), mayWriteBlob(topic, 'dead-letters')]).toEqual([true, true])
  })

  it('are not waited for the second time', async () => {
    const { outputs: first } = await deploy('infra/roles.bicep')
    await hook(runPostroles, first)
    const { outputs } = await deploy('infra/main.bicep')
    await hook(runPredeploy, outputs)
    lines = []
    const { outputs: second } = await deploy('infra/roles.bicep')
    expect([await hook(runPostroles, second), await hook(runPredeploy, (await deploy('infra/main.bicep')).outputs)]).toEqual([0, 0])
    expect(lines).toEqual([])
  })

  it('are waited for again where an assignment was taken away by hand', async () => {
    await hook(runPostroles, (await deploy('infra/roles.bicep')).outputs)
    const { outputs } = await deploy('infra/main.bicep')
    await hook(runPredeploy, outputs)
    const [gone = ''] = [...cloud.arm.state.documents.values()].flatMap(({ id }) =>
      /storageAccounts.*roleAssignments/.test(id) ? [id] : [],
    )
    expect(await caller('DELETE', gone, '2022-04-01')).toMatchObject({ status: 200 })
    await deploy('infra/main.bicep')
    expect(await hook(runPredeploy, outputs)).toBe(10)
  })

  it('name the type of their principal, without which Azure looks it up before it knows it', () => {
    const { subscriptionId, tenantId, location } = cloud.arm.settings
    const deploymentContext = { subscriptionId, tenantId, location }
    const { resources } = evaluator.evaluate('infra/main.bicep', parametersOf(), { deploymentContext })
    const types = resources.flatMap(({ type, body }) =>
      type === 'Microsoft.Authorization/roleAssignments' ? [textAt(body, 'properties.principalType')] : [],
    )
    expect(types.length).toBeGreaterThan(6)
    expect(new Set(types)).toEqual(new Set(['ServicePrincipal']))
  })
})
