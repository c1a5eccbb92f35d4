/** An assignment of a role cannot be changed in Azure, only made and deleted. So a new principal or a new role needs a new name. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HAS_BUILT_IN_ROLES } from '../../infra/rights/builtInRoles.ts'
import { textAt } from '../../local/azure/json.ts'
import { type LocalAzure, startAzure } from '../../local/azure/startAzure.ts'
import { AZD } from './armCaller.ts'
import { removeGroup } from './takeDown.ts'
import { createTemplates } from './templates.ts'

let azure: LocalAzure
beforeEach(async () => {
  azure = await startAzure({ managedIdentities: [{ clientId: AZD.appid, objectId: AZD.oid }] })
})
afterEach(() => azure.close())

/** The roles that a principal has, outside of the group of the installation, too. */
function rolesOf(principalId: unknown): readonly string[] {
  const assignments = azure.resources().filter(({ type }) => type === 'Microsoft.Authorization/roleAssignments')
  return assignments
    .filter((each) => textAt(each, 'properties.principalId') === principalId)
    .map((each) => each.id.split('/providers/Microsoft.Authorization/')[0] ?? '')
    .sort()
}

describe('the template', () => {
  it('gives all rights to the new identity after its group was deleted by hand', async () => {
    const templates = await createTemplates(azure, 'public', {})
    const { outputs: first } = await templates.provision()
    const held = rolesOf(first['JOINER_APP_PRINCIPAL_ID'])
    expect(held.length).toBeGreaterThan(6)
    await removeGroup({ azure }, templates, first)
    const { outputs: second } = await templates.provision()
    expect(second['JOINER_APP_PRINCIPAL_ID']).not.toBe(first['JOINER_APP_PRINCIPAL_ID'])
    expect(rolesOf(second['JOINER_APP_PRINCIPAL_ID'])).toEqual(held)
  })

  it.skipIf(!HAS_BUILT_IN_ROLES)('takes other roles than before', async () => {
    const { outputs } = await (await createTemplates(azure, 'public', {})).provision()
    const custom = rolesOf(outputs['JOINER_APP_PRINCIPAL_ID'])
    // In this mode, a rehearsal uses the roles of Azure.
    await (await createTemplates(azure, 'private', {})).provision()
    expect(rolesOf(outputs['JOINER_APP_PRINCIPAL_ID']).length).toBeGreaterThan(custom.length)
  })

  it('makes nothing new the second time', async () => {
    const templates = await createTemplates(azure, 'vnet', {})
    await templates.provision()
    expect((await templates.provision()).made).toEqual([])
  })
})
