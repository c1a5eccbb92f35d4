/** The local ARM refuses each request for which the person lacks an action. The listed rights are enough to deploy, and a lacking one is found. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DEPLOYER } from '../../infra/rights/deployerActions.ts'
import { type LocalAzure, startAzure } from '../../local/azure/startAzure.ts'
import { AZD } from './armCaller.ts'
import { grantDeployerRights } from './deployerRights.ts'
import { createTemplates, MODES } from './templates.ts'

let azure: LocalAzure
beforeEach(async () => {
  azure = await startAzure({ needsRoles: true, managedIdentities: [{ clientId: AZD.appid, objectId: AZD.oid }] })
})
afterEach(() => azure.close())

async function deploy(mode: (typeof MODES)[number]): Promise<void> {
  const templates = await createTemplates(azure, mode, {})
  const { outputs } = await templates.provision()
  const site = `/subscriptions/${azure.subscriptionId}/resourceGroups/${String(outputs['AZURE_RESOURCE_GROUP'])}/providers/Microsoft.Web/sites/${String(outputs['JOINER_APP_NAME'])}`
  azure.putResource({ id: `${site}/functions/interruption`, name: 'interruption', type: 'Microsoft.Web/sites/functions' })
  await templates.subscribe(outputs)
}

describe('the rights of the deployer', () => {
  it.each(MODES)('are enough for both layers with network=%s', async (mode) => {
    grantDeployerRights(azure)
    await deploy(mode)
    const rows = azure.access.rows().filter(({ principalId }) => principalId === AZD.oid)
    expect(rows.length).toBeGreaterThan(50)
    expect(rows.filter(({ isGranted }) => !isGranted)).toEqual([])
  })

  it.each([
    'Microsoft.ResourceNotifications/systemTopics/subscribeToHealthResources/action',
    'Microsoft.EventGrid/eventSubscriptions/write',
    'Microsoft.EventGrid/systemTopics/write',
    'Microsoft.Authorization/roleDefinitions/write',
  ])('lacking %s, the deployment ends with the refusal of Azure', async (lacking) => {
    grantDeployerRights(azure)
    const listed = DEPLOYER.filter(({ on }) => on === 'subscription').flatMap(({ resource, verbs }) =>
      verbs.map((verb) => `${resource}/${verb}`),
    )
    expect(listed).toContain(lacking)
    azure.access.define({ id: 'deployer subscription', actions: listed.filter((action) => action !== lacking) })
    await expect(deploy('public')).rejects.toThrow(new RegExp(`AuthorizationFailed.*${lacking}`))
  })
})
