/** Every answer of ARM that a command or a hook reads is read from a raw answer of Azure by the code that reads it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Access, openAccess, openCluster } from '../../cli/clusterAccess.ts'
import { findInstallation, type Installation, listResources } from '../../cli/down/azureRights.ts'
import { orphanDisks } from '../../cli/down/inventory.ts'
import { othersOnTopics } from '../../cli/down/othersOnTopic.ts'
import { readInstallOptions } from '../../cli/preflight/installOptions.ts'
import { readInstallFacts } from '../../cli/preflight/readInstallFacts.ts'
import { readSystemTopics } from '../../cli/preflight/readSystemTopics.ts'
import { readTenant } from '../../cli/preflight/readTenant.ts'
import { createRedactor } from '../../cli/smoke/redact.ts'
import { takeRemains } from '../../cli/smoke/remains.ts'
import { rightsStep } from '../../cli/smoke/rightsStep.ts'
import { privateZoneOf } from '../../infra/hooks/clusterDetails.ts'
import { registerProviders } from '../../infra/hooks/registerProviders.ts'
import { waitForFunction } from '../../infra/hooks/waitForFunction.ts'
import { waitForAssignments, waitForDefinitions } from '../../infra/hooks/waitForRoles.ts'
import { isTestFile, repositoryRoot, sourceFiles } from '../../scripts/floors.ts'
import { epochMs } from '../../shared/model/units.ts'
import { parseManagedCluster } from '../../shared/wire/azure/managedCluster.ts'
import { managedCluster } from '../builders/managedCluster.ts'
import { serveRows } from './answers.ts'
import { CALL_SITES, COMMAND_ANSWERS, type CommandCall, commandAnswerFile } from './commandAnswers.ts'
import { clusterConfig, SIGNAL } from './harness.ts'

const S = '00000000-0000-4000-8000-000000000001'
const SUBSCRIPTION = `/subscriptions/${S}`
const GROUP = `${SUBSCRIPTION}/resourceGroups/rg-joiner-dev`
const HUB = `${SUBSCRIPTION}/resourceGroups/Net/providers/Microsoft.Network/virtualNetworks/hub`
const CLUSTER = `${SUBSCRIPTION}/resourceGroups/shop/providers/Microsoft.ContainerService/managedClusters/shop`
const ROLE = `${SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/3b0c6d0e-1111-4222-8333-000000000001`
const NAMES = { prefix: 'joiner-', former: [] }

let azure: Awaited<ReturnType<typeof serveRows<CommandCall>>>
let access: Access
let now = Date.UTC(2026, 10, 29)
const lines: string[] = []
const print = (line: string): void => void lines.push(line)

beforeAll(async () => {
  azure = await serveRows<CommandCall>({ rows: COMMAND_ANSWERS, fileOf: commandAnswerFile })
  const clock = { now: () => epochMs(now), sleep: async (ms: number) => void (now += ms) }
  const nobody = () => Promise.reject(new Error('nobody is asked but ARM'))
  access = { ...openAccess({}, { credential: azure.credential, armOptions: azure.arm, clock }), web: nobody }
})
afterAll(() => azure.close())

const environment = { AZURE_ENV_NAME: 'dev', AZURE_SUBSCRIPTION_ID: S, AZURE_LOCATION: 'eastus2', JOINER_CLUSTER_IDS: CLUSTER }
const inspectDeps = () => ({ environment, access, run: async () => ({ code: 127, out: '', errors: '' }) })

function wishes() {
  const read = readInstallOptions({ ...environment, JOINER_NETWORK: 'vnet', JOINER_SUBNETS: JSON.stringify({ app: `${HUB}/subnets/app` }) })
  return read.ok ? read.value : expect.fail(read.error.join('; '))
}

function factsOf(body: object) {
  const read = parseManagedCluster(body, CLUSTER)
  return read.ok ? read.value : expect.fail(read.error.message)
}

describe('an answer as Azure writes it is read', () => {
  it('by the preflight: the tenant, the topics, regions, providers, rights and a subnet', async () => {
    expect(await readTenant(inspectDeps(), S, [])).toBe('00000000-0000-4000-8000-00000000a002')
    expect(await readSystemTopics(inspectDeps(), wishes(), [])).toMatchObject({
      onSubscription: [
        {
          id: `${SUBSCRIPTION}/resourceGroups/hub/providers/Microsoft.EventGrid/systemTopics/health`,
          topicType: 'Microsoft.ResourceNotifications.HealthResources',
          hasIdentity: true,
        },
      ],
    })
    const { facts, unread } = await readInstallFacts(inspectDeps(), wishes(), [])
    expect(unread.map(({ what }) => what)).toEqual([expect.stringMatching(/^image /)])
    expect(facts.flexRegions).toEqual(['eastus2'])
    expect(new Set(facts.providers.map(({ state }) => state))).toEqual(new Set(['Registered']))
    expect(facts.permissions[0]?.granted).toMatchObject([
      { actions: ['*'], notActions: ['Microsoft.Authorization/*/Delete'] },
      { actions: ['Microsoft.Authorization/roleAssignments/delete'] },
    ])
    expect(facts.subnets[0]?.found).toEqual({
      bits: 26,
      delegations: ['Microsoft.App/environments'],
      takenBy: [
        `${SUBSCRIPTION}/resourceGroups/Net/providers/Microsoft.Network/networkInterfaces/other/ipConfigurations/ipconfig1`,
        'legionservicelink',
      ],
    })
  })

  it('of the kubeconfig of a cluster', async () => {
    const opened = await openCluster(access, CLUSTER)
    expect(opened.ok && [opened.value.server, opened.value.caBundle]).toEqual(['https://shop-1a2b3c4d.hcp.eastus.azmk8s.io', 'Y2E='])
  })

  it('by the removal: what an installation has outside of its group, and who else is on its topic', async () => {
    const known: Installation = {
      subscriptionId: S,
      resourceGroup: 'rg-joiner-dev',
      token: undefined,
      principalIds: [],
      usedIds: [`${HUB}/subnets/nodes`],
      zoneIds: [],
    }
    const found = await findInstallation(access.arm, known, SIGNAL)
    expect(found).toMatchObject({ token: 'abcdefghijklm', principalIds: ['6b0c6d0e-1111-4222-8333-00000000000a'] })
    expect((await listResources(access.arm, found, SIGNAL)).map(({ what }) => what)).toEqual([
      'event subscription joiner-abcdefghijklm-health',
      `peering ${HUB.toLowerCase()}/virtualNetworkPeerings/joiner-abcdefghijklm`,
      expect.stringMatching(
        /^zone link .*\/privatednszones\/1a2b\.privatelink\.eastus\.azmk8s\.io\/virtualNetworkLinks\/joiner-abcdefghijklm$/,
      ),
      `role assignment on ${SUBSCRIPTION}/resourceGroups/MC_a`,
      'role definition Joiner nodes abcdefghijklm',
    ])
    expect(await othersOnTopics(access.arm, found, SIGNAL)).toEqual([{ topic: 'evgt-health-abcdefghijklm', names: ['someone-else'] }])
    const disksOf = { machineNames: NAMES, subscriptionId: S, nodeResourceGroup: 'MC_a' }
    expect(await orphanDisks(disksOf, access.arm, SIGNAL)).toEqual(['joiner-one'])
  })

  it('by the hooks: a zone, a function, providers, and the times of roles', async () => {
    const facts = factsOf(
      managedCluster({
        privateFQDN: 'shop-1a2b3c4d.1a2b.privatelink.eastus.azmk8s.io',
        apiServerAccessProfile: { enablePrivateCluster: true },
      }),
    )
    expect(await privateZoneOf({ access }, facts)).toMatch(/\/privateDnsZones\/1a2b\.privatelink\.eastus\.azmk8s\.io$/)
    await waitForFunction(access, `${GROUP}/providers/Microsoft.Web/sites/app`, print)
    await waitForDefinitions(access, [ROLE], print)
    await waitForAssignments(access, GROUP, print)
    await registerProviders({ access, print }, S, [{ namespace: 'Microsoft.App', state: 'NotRegistered' }])
    expect(lines).toEqual([
      'wait  until the roles on the storage account hold: 8 minutes, of the 10 that Azure may take',
      'ok    resource provider Microsoft.App is registered',
    ])
  })

  it('by a smoke run: rights of the login and of the app, and what runs have left', async () => {
    const config = clusterConfig({
      subscriptionId: S,
      tenantId: S,
      location: 'eastus',
      resourceGroups: ['MC_a'],
      subnetId: `${HUB}/subnets/nodes`,
    })
    const call = async () => ({ status: 200, json: { items: [] } })
    const cluster = { config, resourceId: CLUSTER, call, machineNames: NAMES }
    const run = { arm: access.arm, redactor: createRedactor({}), cluster }
    const of = { environment, wishes: wishes(), facts: factsOf(managedCluster()), principalId: '6b0c6d0e-1111-4222-8333-00000000000a' }
    const { text } = await rightsStep(run, of, SIGNAL)
    const missing = /missing: (.*)$/.exec(text)?.[1]?.split(', ') ?? []
    const missingOf = (by: string): readonly string[] => missing.filter((each) => each.startsWith(`${by}: `))
    expect(
      missingOf('login').every((each) => each.includes('Microsoft.Authorization/roleDefinitions/delete')),
      text,
    ).toBe(true)
    expect(missingOf('app').some((each) => each.includes('Microsoft.Compute/virtualMachines/write'))).toBe(true)
    expect(missingOf('app').some((each) => each.includes('Microsoft.Compute/virtualMachines/read'))).toBe(false)
    expect(await takeRemains(run, SIGNAL)).toEqual({
      machines: ['joiner-two'],
      interfaces: ['joiner-two'],
      disks: ['joiner-two'],
      nodes: [],
      pods: [],
      objects: [],
      ofApp: new Set(),
    })
  })

  it('and each answer was read', () => expect([...azure.served].sort()).toEqual(Object.keys(COMMAND_ANSWERS).sort()))
})

/** A call of ARM by its function, its list, or the helpers of two files. */
const CALL = /(?<!function )(?<![\w'])(?:arm|armList|listOrNone)\(|\bget\(deps,/g

describe('the places that call ARM without an adapter', () => {
  const files = sourceFiles(repositoryRoot).filter((file) => /^(cli|infra\/hooks)\//.test(file) && !isTestFile(file))

  it('each have raw answers that are read there, or a reason why none is', () => {
    const found = files.flatMap((file) => {
      const count = [...readFileSync(join(repositoryRoot, file), 'utf8').matchAll(CALL)].length
      return count === 0 ? [] : [[file, count] as const]
    })
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(Object.entries(CALL_SITES).map(([file, sites]) => [file, sites.length])))
  })

  it('read each answer somewhere, and no file is left over', () => {
    const named = Object.values(CALL_SITES).flatMap((sites) => sites.flatMap((site) => (typeof site === 'string' ? [] : site)))
    expect([...new Set(named)].sort()).toEqual(Object.keys(COMMAND_ANSWERS).sort())
    const kept = readdirSync(join(import.meta.dirname, 'commandAnswers')).map((name) => name.replace(/\.json$/, ''))
    expect(kept.sort()).toEqual(Object.keys(COMMAND_ANSWERS).sort())
  })
})
