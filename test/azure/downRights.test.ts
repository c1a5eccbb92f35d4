import { describe, expect, it } from 'vitest'
import { createArm } from '../../cli/armCall.ts'
import { deleteResources, findInstallation, type Installation, listResources } from '../../cli/down/azureRights.ts'
import { startAzure } from '../../local/azure/startAzure.ts'
import { textOf } from '../../scripts/rehearse/deployTemplate.ts'
import { clusterParameter } from '../../scripts/rehearse/localCluster.ts'
import { createTemplates, MODES } from '../../scripts/rehearse/templates.ts'
import type { Clock } from '../../shared/ports/clock.ts'
import { REAL_CLOCK, SIGNAL } from './harness.ts'

/** A clock whose sleeps return at once. */
const hasty: Clock = { now: REAL_CLOCK.now, sleep: () => Promise.resolve() }

describe('what the templates make outside of the resource group of Joiner', () => {
  it.each(MODES)('is found and removed, with network=%s', async (mode) => {
    const azure = await startAzure()
    try {
      const templates = await createTemplates(azure, mode, {})
      const before = azure.resources().map(({ id }) => id)
      const { outputs } = await templates.provision()
      const group = textOf(outputs['AZURE_RESOURCE_GROUP'])
      // Event Grid checks that the function exists.
      const site = `/subscriptions/${azure.subscriptionId}/resourceGroups/${group}/providers/Microsoft.Web/sites/${textOf(outputs['JOINER_APP_NAME'])}`
      azure.putResource({ id: `${site}/functions/interruption` })
      await templates.subscribe(outputs)
      const credential = {
        getToken: async (scopes: string | string[]) => ({
          token: await azure.issueToken({ audience: String(scopes).replace('/.default', ''), oid: 'deployer', appid: 'deployer' }),
          expiresOnTimestamp: Date.now() + 3_600_000,
        }),
      }
      const arm = createArm({ credential, endpoint: azure.armUrl, ca: azure.caCertificate, clock: hasty, maxRetries: 0 })
      const { subnetIds, identityIds } = clusterParameter(azure, 'local')
      // The facts that a cleanup has: the name of the group, and the ids that clusters use.
      const known: Installation = {
        subscriptionId: azure.subscriptionId,
        resourceGroup: group,
        token: undefined,
        principalIds: [],
        usedIds: [subnetIds, identityIds].flat().map((id) => textOf(id ?? null)),
        zoneIds: [],
      }
      const installation = await findInstallation(arm, known, SIGNAL)
      expect(installation.token).toBe(textOf(outputs['JOINER_TOKEN']))
      const things = await listResources(arm, installation, SIGNAL)
      const isOwn = (id: string) =>
        id.toLowerCase().startsWith(`/subscriptions/${azure.subscriptionId}/resourcegroups/${group}`.toLowerCase())
      const outside = azure
        .resources()
        .map(({ id }) => id)
        .filter((id) => !before.includes(id) && !isOwn(id))
      expect(outside.length).toBeGreaterThan(6)
      expect(things.map(({ id }) => id.toLowerCase()).sort()).toEqual(outside.map((id) => id.toLowerCase()).sort())
      expect(await deleteResources({ arm, clock: hasty, print: () => undefined }, installation, SIGNAL)).toEqual([])
      await templates.arm('DELETE', `/subscriptions/${azure.subscriptionId}/resourceGroups/${group}`, '2025-04-01')
      expect(azure.resources().map(({ id }) => id)).toEqual(before)
    } finally {
      await azure.close()
    }
  })
})
