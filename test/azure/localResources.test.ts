import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repositorySources } from '../../infra/check/sources.ts'
import { parseResourcePath } from '../../local/azure/arm/resources/resourceId.ts'
import { RESOURCE_TYPES } from '../../local/azure/arm/resources/resourceTypes.ts'
import { textAt } from '../../local/azure/json.ts'
import { type LocalAzure, startAzure } from '../../local/azure/startAzure.ts'
import { repositoryRoot } from '../../scripts/floors.ts'
import { type ArmReply, armCall } from './armCall.ts'

const KNOWN_ROLE = '11111111-0000-4000-8000-000000000001'
let azure: LocalAzure
let subscription: string
let group: string

beforeAll(async () => {
  azure = await startAzure()
  subscription = `/subscriptions/${azure.subscriptionId}`
  group = `${subscription}/resourceGroups/rg-test`
  azure.putResource({ id: roleId(KNOWN_ROLE), properties: { roleName: 'Known', type: 'BuiltInRole' } })
  await put(group, { location: 'eastus' }, '2025-04-01')
})
afterAll(() => azure.close())

const roleId = (name: string): string => `${subscription}/providers/Microsoft.Authorization/roleDefinitions/${name}`
const assignmentId = (scope: string, name: string): string => `${scope}/providers/Microsoft.Authorization/roleAssignments/${name}`
const identityId = (name: string): string => `${group}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${name}`
const call = (method: string, id: string, version: string): Promise<ArmReply> => armCall(azure, method, id, { version })
const put = (id: string, body: object, version: string): Promise<ArmReply> => armCall(azure, 'PUT', id, { version, body })
const putIdentity = (name: string): Promise<ArmReply> => put(identityId(name), { location: 'eastus' }, '2024-11-30')
const principalOf = (reply: ArmReply): string => textAt(reply.body, 'properties.principalId') ?? ''
const assign = (id: string, principalId: string, role = KNOWN_ROLE): Promise<ArmReply> =>
  put(id, { properties: { principalId, roleDefinitionId: roleId(role) } }, '2022-04-01')

describe('a path of ARM', () => {
  const G = '/subscriptions/s/resourceGroups/g'
  it.each([
    [G, { type: 'Microsoft.Resources/resourceGroups', name: 'g', scope: '/subscriptions/s', parent: undefined }],
    [`${G}/providers/A/b/c`, { type: 'A/b', name: 'c', scope: G, parent: undefined }],
    [`${G}/providers/A/b/c/`, { type: 'A/b', name: 'c', scope: G, parent: undefined }],
    [`${G}/providers/A/b`, { type: 'A/b', name: '', scope: G, parent: undefined }],
    [`${G}/providers/A/b/c/d/e`, { type: 'A/b/d', name: 'e', scope: G, parent: `${G}/providers/A/b/c` }],
    [`${G}/providers/A/b/c/d`, { type: 'A/b/d', name: '', scope: G, parent: `${G}/providers/A/b/c` }],
    [`${G}/providers/A/b/c/providers/X/y/z`, { type: 'X/y', name: 'z', scope: `${G}/providers/A/b/c`, parent: undefined }],
    ['/subscriptions/s/providers/X/y/z', { type: 'X/y', name: 'z', scope: '/subscriptions/s', group: '', parent: undefined }],
  ])('%s', (path, parts) => expect(parseResourcePath(path)).toMatchObject(parts))

  it.each(['/subscriptions/s', '/tenants/t', `${G}/providers/A`, `${G}/providers/A//b`])('%s names nothing', (path) =>
    expect(parseResourcePath(path)).toBeUndefined(),
  )
})

describe('a resource that a deployment makes', () => {
  it('is made once, put again as it is, found, listed and gone', async () => {
    const [first, second] = [await putIdentity('one'), await putIdentity('one')]
    expect([first.status, second.status, second.body]).toEqual([201, 200, first.body])
    expect((await call('GET', identityId('ONE'), '2024-11-30')).body).toEqual(first.body)
    const list = await call('GET', `${group}/providers/Microsoft.ManagedIdentity/userAssignedIdentities`, '2024-11-30')
    expect(list.body).toEqual({ value: [first.body] })
    expect((await call('DELETE', identityId('one'), '2024-11-30')).status).toBe(200)
    expect((await call('DELETE', identityId('one'), '2024-11-30')).status).toBe(204)
    expect((await call('GET', identityId('one'), '2024-11-30')).status).toBe(404)
  })

  it('is another one after it was deleted', async () => {
    const first = await putIdentity('again')
    await call('DELETE', identityId('again'), '2024-11-30')
    expect(principalOf(await putIdentity('again'))).not.toBe(principalOf(first))
  })

  it('has what Azure adds: identities, endpoints, addresses', async () => {
    const user = await putIdentity('user')
    const identity = { type: 'SystemAssigned, UserAssigned', userAssignedIdentities: { [identityId('user')]: {} } }
    const id = `${group}/providers/Microsoft.EventGrid/topics/t1`
    const topic = await put(id, { location: 'eastus', identity, tags: null }, '2025-02-15')
    expect(topic.body).toMatchObject({
      name: 't1',
      identity: {
        principalId: expect.stringMatching(/-/),
        tenantId: azure.tenantId,
        userAssignedIdentities: { [identityId('user')]: { principalId: principalOf(user) } },
      },
      properties: { endpoint: 'https://t1.eastus-1.eventgrid.azure.net/api/events', provisioningState: 'Succeeded' },
    })
    expect(topic.body).not.toHaveProperty('tags')
    expect((await put(id, { location: 'eastus', identity }, '2025-02-15')).body).toEqual(topic.body)
  })

  it('tells settings to nobody who only reads', async () => {
    const site = `${group}/providers/Microsoft.Web/sites/app`
    await put(site, { location: 'eastus', properties: {} }, '2024-11-01')
    const settings = await put(`${site}/config/appsettings`, { properties: { A: '1' } }, '2024-11-01')
    expect(settings.body).toMatchObject({ properties: { A: '1' } })
    expect(textAt(settings.body, 'properties.provisioningState')).toBeUndefined()
    expect((await call('GET', `${site}/config/appsettings`, '2024-11-01')).status).toBe(404)
  })

  const bad: Record<string, { make: () => Promise<ArmReply>; want: [number, string] }> = {
    'of a version that there is not': {
      make: () => put(identityId('x'), { location: 'eastus' }, '1999-01-01'),
      want: [400, 'NoRegisteredProviderFound'],
    },
    'of no version': {
      make: () => put(identityId('x'), { location: 'eastus' }, ''),
      want: [400, 'MissingApiVersionParameter'],
    },
    'in another subscription': {
      make: () => put('/subscriptions/other/resourceGroups/g', { location: 'eastus' }, '2025-04-01'),
      want: [404, 'SubscriptionNotFound'],
    },
    'in a group that is not there': {
      make: () => put(identityId('x').replace('rg-test', 'none'), { location: 'eastus' }, '2024-11-30'),
      want: [404, 'ResourceGroupNotFound'],
    },
    'in a resource that is not there': {
      make: () => put(`${identityId('none')}/federatedIdentityCredentials/c`, { properties: {} }, '2024-11-30'),
      want: [404, 'ParentResourceNotFound'],
    },
    'for a resource that is not there': {
      make: () => assign(assignmentId(identityId('none'), 'a'), 'p'),
      want: [404, 'ResourceNotFound'],
    },
    'with a name that Azure does not take': {
      make: () => put(`${group}/providers/Microsoft.Storage/storageAccounts/Not_So`, { location: 'eastus' }, '2025-06-01'),
      want: [400, 'AccountNameInvalid'],
    },
    'that names a resource which is not there': {
      make: () =>
        put(
          `${group}/providers/Microsoft.Web/sites/bad`,
          { location: 'eastus', properties: { serverFarmId: `${group}/providers/Microsoft.Web/serverfarms/none` } },
          '2024-11-01',
        ),
      want: [400, 'InvalidResourceReference'],
    },
    'of which the emulator knows nothing': {
      make: () => put(`${group}/providers/Microsoft.Sql/servers/x`, { location: 'eastus' }, '2023-08-01'),
      want: [501, 'NotImplemented'],
    },
    'somewhere else than it is': {
      make: async () => {
        await putIdentity('here')
        return put(identityId('here'), { location: 'westeurope' }, '2024-11-30')
      },
      want: [409, 'InvalidResourceLocation'],
    },
  }
  it.each(Object.entries(bad))('is refused %s', async (_sentence, { make, want }) => {
    const reply = await make()
    expect([reply.status, reply.code]).toEqual(want)
  })

  it('goes with its group, and with it what was given to others at it', async () => {
    const other = `${subscription}/resourceGroups/rg-gone`
    await put(other, { location: 'eastus' }, '2025-04-01')
    const inner = `${other}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/i`
    const principal = principalOf(await put(inner, { location: 'eastus' }, '2024-11-30'))
    expect((await assign(assignmentId(inner, 'in'), principal)).status).toBe(201)
    expect((await assign(assignmentId(subscription, 'out'), principal)).status).toBe(201)
    expect((await call('DELETE', other, '2025-04-01')).status).toBe(200)
    const left = azure.resources().map(({ id }) => id)
    expect(left.filter((id) => id.startsWith(other))).toEqual([])
    expect(left).toContain(assignmentId(subscription, 'out'))
    expect((await call('GET', other, '2025-04-01')).code).toBe('ResourceGroupNotFound')
  })
})

describe('a system topic', () => {
  const topic = (name: string, source: string, topicType: string): Promise<ArmReply> =>
    put(
      `${group}/providers/Microsoft.EventGrid/systemTopics/${name}`,
      { location: 'global', properties: { source, topicType } },
      '2025-02-15',
    )

  it('is the only one of its source, whatever its type, and keeps its source', async () => {
    expect((await topic('first', subscription, 'Microsoft.ResourceNotifications.HealthResources')).status).toBe(201)
    expect((await topic('first', subscription, 'Microsoft.ResourceNotifications.HealthResources')).status).toBe(200)
    for (const type of ['Microsoft.ResourceNotifications.HealthResources', 'Microsoft.Resources.Subscriptions']) {
      const second = await topic('second', subscription.toUpperCase(), type)
      expect([second.status, second.code]).toEqual([400, 'InvalidRequest'])
      expect(JSON.stringify(second.body)).toContain('Only one system topic is allowed per source.')
    }
    expect((await topic('second', group, 'Microsoft.Resources.ResourceGroups')).status).toBe(201)
    expect((await topic('first', group, 'Microsoft.Resources.ResourceGroups')).code).toBe('InvalidRequest')
  })
})

describe('a role', () => {
  const custom = (roleName: string): object => ({ properties: { roleName, assignableScopes: [subscription], permissions: [] } })

  it('is assigned once to one principal at one scope', async () => {
    const principal = principalOf(await putIdentity('who'))
    const first = assignmentId(group, 'first')
    expect((await assign(first, principal)).status).toBe(201)
    expect((await assign(first, principal)).status).toBe(200)
    expect((await assign(assignmentId(group, 'second'), principal)).code).toBe('RoleAssignmentExists')
    const another = principalOf(await putIdentity('another'))
    expect((await assign(first, another)).code).toBe('RoleAssignmentUpdateNotPermitted')
  })

  it('must be there, and so must who gets it', async () => {
    const principal = principalOf(await putIdentity('lone'))
    expect((await assign(assignmentId(group, 'x'), principal, 'none')).code).toBe('RoleDefinitionDoesNotExist')
    expect((await assign(assignmentId(group, 'x'), 'nobody')).code).toBe('PrincipalNotFound')
  })

  it('has a name of its own, a scope, and stays while somebody has it', async () => {
    const principal = principalOf(await putIdentity('holder'))
    await put(roleId('r1'), custom('Ours'), '2022-04-01')
    expect((await put(roleId('r2'), custom('Ours'), '2022-04-01')).code).toBe('RoleDefinitionWithSameNameExists')
    expect((await put(roleId('r2'), { properties: { roleName: 'Other' } }, '2022-04-01')).code).toBe('InvalidRoleDefinition')
    await assign(assignmentId(group, 'r1'), principal, 'r1')
    expect((await call('DELETE', roleId('r1'), '2022-04-01')).code).toBe('RoleDefinitionHasAssignments')
    await call('DELETE', assignmentId(group, 'r1'), '2022-04-01')
    expect((await call('DELETE', roleId('r1'), '2022-04-01')).status).toBe(200)
  })

  it('is listed at, above and below a scope, for one principal or for all', async () => {
    const [mine, other] = [principalOf(await putIdentity('mine')), principalOf(await putIdentity('other'))]
    const own = identityId('mine')
    for (const [scope, principal] of [
      [subscription, mine],
      [group, mine],
      [own, mine],
      [own, other],
    ] as const)
      await assign(assignmentId(scope, `l-${principal}-${scope.length}`), principal)
    const count = async (scope: string, filter?: string): Promise<number> => {
      const query = filter === undefined ? '' : `?$filter=${encodeURIComponent(filter)}`
      const reply = await call('GET', `${scope}/providers/Microsoft.Authorization/roleAssignments${query}`, '2022-04-01')
      return (reply.body as { value: readonly object[] }).value.length
    }
    expect(await count(group, `principalId eq '${mine}'`)).toBe(3)
    expect(await count(subscription, `principalId eq '${other}'`)).toBe(1)
    expect(await count(own, `assignedTo('${mine}')`)).toBe(3)
    expect((await count(subscription)) > (await count(subscription, 'atScope()'))).toBe(true)
    expect((await call('GET', `${group}/providers/Microsoft.Authorization/roleAssignments?$filter=x`, '2022-04-01')).code).toBe(
      'InvalidFilter',
    )
  })
})

const { index } = repositorySources(repositoryRoot)
describe.skipIf(index === undefined)('the table of types', () => {
  it.each(RESOURCE_TYPES.flatMap(({ type, versions }) => versions.map((version) => [type, version] as const)))(
    'has %s in %s, as Azure does',
    (type, version) => expect(index?.versionsOf(type)).toContain(version),
  )
})
