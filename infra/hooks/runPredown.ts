import * as z from 'zod'
import { takeDown } from '../../cli/cleanup.ts'
import { findInstallation, type Installation } from '../../cli/down/azureRights.ts'
import { deletesSharedTopic, readDownOptions } from '../../cli/down/downOptions.ts'
import { othersOnTopics } from '../../cli/down/othersOnTopic.ts'
import { parsedJson } from '../../shared/base/json.ts'
import { type HookDeps, HookFailure } from './hookDeps.ts'

const clusterFacts = z.array(
  z.object({
    name: z.string(),
    id: z.string(),
    subnetIds: z.array(z.string()).default([]),
    identityIds: z.array(z.string()).default([]),
    diskEncryptionSetId: z.string().optional(),
    privateDnsZoneId: z.string().optional(),
    overrides: z.record(z.string(), z.unknown()).default({}),
  }),
)

/**
 * Runs before azd deletes the resource group of Joiner. Deletes the machines first, then the charts, then what azd does not delete. azd stops if this
 * fails.
 */
export async function runPredown(deps: HookDeps, isTerminal = process.stdin.isTTY): Promise<0 | 1> {
  const { environment, print } = deps
  const wish = readDownOptions(environment, isTerminal)
  if (!wish.ok) throw new HookFailure(wish.error)
  const clusters = readClusters(environment['JOINER_CLUSTER_FACTS'])
  const { JOINER_SHIM_NAMESPACE: namespace } = environment
  const installation = installationOf(deps, clusters)
  await keepForOthers(deps, installation)
  if (clusters.length === 0) print('no cluster is known: nothing is installed, so there are no machines')
  return takeDown(
    {
      clusters: clusters.map(({ id, name, overrides }) => ({ resourceId: id, name, overrides })),
      installation,
      wish: wish.value,
      release: { name: 'joiner', namespace: namespace || 'joiner' },
      by: 'app',
      dryRun: false,
    },
    deps,
    new AbortController().signal,
  )
}

/** azd deletes the resource group with everything in it after this hook. */
async function keepForOthers({ access, environment, print }: HookDeps, installation: Installation): Promise<void> {
  const signal = new AbortController().signal
  const known = await findInstallation(access.arm, installation, signal)
  for (const { topic, names } of await othersOnTopics(access.arm, known, signal)) {
    const what = `event subscriptions of others (${names.join(', ')}) are on system topic ${topic} of resource group ${known.resourceGroup}`
    if (!deletesSharedTopic(environment))
      throw new HookFailure(
        `PREFLIGHT.HEALTH_TOPIC   ${what}, and azd down deletes it; nothing was removed. Take the others down first, or run: azd env set JOINER_DOWN_HEALTH_TOPIC delete. Then the others have no health events until their next azd up`,
      )
    print(`${what}, and are deleted with it; run azd up in their environments`)
  }
}

function installationOf({ environment }: HookDeps, clusters: z.output<typeof clusterFacts>): Installation {
  const { AZURE_SUBSCRIPTION_ID: subscriptionId = '', AZURE_ENV_NAME: name = '', AZURE_RESOURCE_GROUP: group } = environment
  const { JOINER_TOKEN: token, JOINER_APP_PRINCIPAL_ID: principalId } = environment
  if (subscriptionId === '') throw new HookFailure('AZURE_SUBSCRIPTION_ID is not set; run: azd env refresh')
  return {
    subscriptionId,
    resourceGroup: group || `rg-joiner-${name}`,
    token: token || undefined,
    principalIds: principalId ? [principalId] : [],
    usedIds: clusters.flatMap(({ subnetIds, identityIds, diskEncryptionSetId }) => [
      ...subnetIds,
      ...identityIds,
      ...(diskEncryptionSetId === undefined ? [] : [diskEncryptionSetId]),
    ]),
    zoneIds: clusters.flatMap(({ privateDnsZoneId }) => privateDnsZoneId ?? []),
  }
}

function readClusters(text: string | undefined): z.output<typeof clusterFacts> {
  if (text === undefined || text === '') return []
  const read = clusterFacts.safeParse(parsedJson(text))
  if (!read.success) throw new HookFailure('JOINER_CLUSTER_FACTS is not what the preflight writes; run: azd hooks run preprovision')
  return read.data
}
