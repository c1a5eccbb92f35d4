import { describe, expect, it } from 'vitest'
import { createAccess } from '../../local/azure/arm/authorization/access.ts'
import { builtInRoles, HAS_BUILT_IN_ROLES } from './builtInRoles.ts'
import { DEPLOYER, necessaryActions, writtenActions } from './deployerActions.ts'
import { SECTIONS } from './page.ts'

const OWNER = '8e3af657-a8ff-443c-a75c-2fe8c4bcb635'
const CONTRIBUTOR = 'b24988ac-6180-42a0-ab88-20f7382dd24c'
const USER_ACCESS_ADMINISTRATOR = '18d7d88d-d35e-4fb5-a5c3-7773c20a72d9'
const RBAC_ADMINISTRATOR = 'f58310d9-a9f6-439a-9e8d-f62e7b41a168'

/** Names of the places in docs/rights.md. */
const TITLES: { readonly [place: string]: string } = {
  subscription: 'subscription',
  nodeGroup: 'resource group of the nodes',
  cluster: 'cluster',
  subnet: 'subnet',
  identity: 'identity of kubelets',
  network: 'network of a cluster',
  dnsZone: 'private DNS zone of a cluster',
  diskEncryptionSet: 'disk encryption set of a cluster',
  healthTopic: 'health topic',
}

describe('infra/deployer.json', () => {
  it('has what the templates make necessary, and no more', async () => {
    const necessary = await necessaryActions()
    expect(necessary).toContain('cluster Microsoft.Authorization/roleAssignments/write')
    expect(writtenActions).toEqual(necessary)
  })

  it('is the table of docs/rights.md', () => {
    const rows = [...(SECTIONS.get('Who deploys') ?? '').matchAll(/^\| ([^|]+) \| ([^|]+) \| `([^`]+)` \| (.*) \|$/gm)]
    expect(rows.map(([, ...cells]) => cells)).toEqual(
      DEPLOYER.map(({ on, resource, verbs, why }) => [TITLES[on], verbs.join(', '), resource, why]),
    )
  })

  const enough: readonly (readonly [roles: readonly string[], isNeeded: (action: string) => boolean])[] = [
    [[OWNER], () => true],
    [[CONTRIBUTOR, USER_ACCESS_ADMINISTRATOR], () => true],
    [[CONTRIBUTOR, RBAC_ADMINISTRATOR], (action) => !/roleDefinitions\/(write|delete)$/.test(action)],
  ]
  it.skipIf(!HAS_BUILT_IN_ROLES).each(enough)('is within the roles that docs/rights.md names: %s', (roles, isNeeded) => {
    const access = createAccess()
    for (const role of builtInRoles()) access.define(role)
    for (const roleId of roles) access.assign(roleId, { principalId: 'deployer', roleId, scope: '/subscriptions/s' })
    const actions = DEPLOYER.flatMap(({ resource, verbs }) => verbs.map((verb) => `${resource}/${verb}`)).filter(isNeeded)
    const lacking = actions.filter(
      (action) => !access.judge('deployer', { own: { action, scope: '/subscriptions/s' }, linked: [] }).isGranted,
    )
    expect(lacking).toEqual([])
  })
})
