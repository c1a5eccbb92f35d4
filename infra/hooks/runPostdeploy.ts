import { askApp } from '../../cli/appAnswer.ts'
import { type ClusterAccess, openCluster } from '../../cli/clusterAccess.ts'
import { appFinding } from '../../shared/engine/preflight/appFinding.ts'
import type { ClusterFacts } from '../../shared/model/clusterFacts.ts'
import { setValues } from './azdValues.ts'
import { buildShimImage } from './buildShimImage.ts'
import { firstDecision } from './firstDecision.ts'
import { type HookDeps, HookFailure, reasonOf } from './hookDeps.ts'
import { installCharts } from './installCharts.ts'
import { chartValues, type DeployedCluster, type Outputs, readOutputs } from './outputs.ts'
import { waitForRollout } from './rollout.ts'
import { waitForFunction } from './waitForFunction.ts'

/**
 * Runs after the code is deployed. Installs the charts in every cluster, waits for them, and proves that a change in the cluster reaches a decision.
 */
export async function runPostdeploy(deps: HookDeps): Promise<number> {
  const given = readOutputs(deps.environment)
  // From here on, Event Grid finds the function, whatever fails below.
  await setValues(deps, { JOINER_APP_DEPLOYED: 'true' })
  await requireSettings(deps, given)
  const { JOINER_REGISTRY: registry } = given
  const outputs = registry === undefined ? given : { ...given, JOINER_SHIM_IMAGE: await buildShimImage(deps, registry) }
  let failed = false
  for (const [at, cluster] of outputs.JOINER_CLUSTER_FACTS.entries()) {
    try {
      await install(deps, outputs, at, cluster)
    } catch (error) {
      const said = reasonOf(error)
      if (said === undefined) throw error
      failed = true
      deps.print(`FAIL  ${cluster.name}: ${said}`)
    }
  }
  // With a queue, Event Grid calls no function.
  if (!failed && outputs.JOINER_EVENT_DELIVERY === 'function') await waitForFunction(deps.access, siteOf(outputs), deps.print)
  // azd stops here, before it provisions the layer of the event subscriptions.
  if (failed) deps.print('No event subscription was made. Mend what FAIL says and run azd up again.')
  for (const line of links(outputs)) deps.print(line)
  return failed ? 1 : 0
}

/** An app that refuses its settings refuses the shim, too: the charts would wait for it in vain. */
async function requireSettings({ access }: HookDeps, { JOINER_APP_NAME: name, JOINER_APP_ENDPOINT: endpoint }: Outputs): Promise<void> {
  const found = await askApp(access, endpoint)
  if (found.state !== 'refused') return
  const { code, message, remedy } = appFinding({ ...found, name })
  throw new HookFailure(`${code}   ${name}: ${message}; ${remedy}`)
}

async function install(deps: HookDeps, outputs: Outputs, at: number, cluster: DeployedCluster): Promise<void> {
  const { access, print } = deps
  const { JOINER_SHIM_NAMESPACE: namespace } = outputs
  const opened = await open(deps, cluster)
  const facts = await factsOf(deps, cluster)
  await installCharts(deps, opened, { namespace, values: chartValues(outputs, at, facts) })
  await waitForRollout(opened, access.clock, namespace)
  print(`ok    ${cluster.name}: the shim runs in namespace ${namespace}`)
  const closed = isClosedTo(outputs, cluster, facts)
  if (closed !== undefined) return print(`warn  PREFLIGHT.AUTHORIZED_RANGES   ${cluster.name}: ${closed}`)
  const { message, seconds } = await firstDecision(opened, access.clock, namespace)
  // The link below the message leads to the workbook, which is printed at the end.
  const [said = ''] = message.split('\n')
  print(`ok    ${cluster.name}: a change in the cluster reached a decision in ${seconds} s: ${said}`)
}

async function open({ access }: HookDeps, { id, overrides }: DeployedCluster): Promise<ClusterAccess> {
  const { apiServerAudience: audience } = overrides
  const opened = await openCluster(access, id, typeof audience === 'string' ? { audience } : {})
  if (!opened.ok) throw new HookFailure(`${opened.error.code}   ${opened.error.message}`)
  return opened.value
}

async function factsOf({ access }: HookDeps, { id }: DeployedCluster): Promise<ClusterFacts> {
  const facts = await access.facts(id)
  if (!facts.ok) throw new HookFailure(`${facts.error.code}   ${facts.error.message}`)
  return facts.value
}

/**
 * Returns why the API server does not admit the app. The app's outbound address is known only now. While the API server does not admit it, the app
 * cannot decide.
 */
function isClosedTo(
  { JOINER_OUTBOUND_ADDRESS: address }: Outputs,
  { id }: DeployedCluster,
  { apiServer }: ClusterFacts,
): string | undefined {
  if (address === '') return undefined
  const { authorizedRanges: ranges, isPrivate } = apiServer
  const own = `${address}/32`
  if (isPrivate || ranges.length === 0 || ranges.includes(own) || ranges.includes(address)) return undefined
  const [, , , , group, , , , name] = id.split('/')
  const all = [...ranges, own].join(',')
  return `the API server does not admit ${address}, from which the app comes; run: az aks update --resource-group ${group} --name ${name} --api-server-authorized-ranges ${all}, then: azd up`
}

function siteOf({ AZURE_SUBSCRIPTION_ID: subscription, AZURE_RESOURCE_GROUP: group, JOINER_APP_NAME: app }: Outputs): string {
  return `/subscriptions/${subscription}/resourceGroups/${group}/providers/Microsoft.Web/sites/${app}`
}

/** Returns the links to the portal that an operator needs. */
function links(outputs: Outputs): readonly string[] {
  const { JOINER_TENANT_ID: tenant } = outputs
  const portal = (id: string, blade = ''): string => `https://portal.azure.com/#@${tenant}/resource${id}${blade}`
  return [
    `workbook  ${portal(outputs.JOINER_WORKBOOK_ID, '/workbook')}`,
    `logs      ${portal(outputs.JOINER_LOG_WORKSPACE_ID, '/logs')}`,
    `app       ${portal(siteOf(outputs))}`,
    ...(outputs.JOINER_OUTBOUND_ADDRESS === '' ? [] : [`address   ${outputs.JOINER_OUTBOUND_ADDRESS}: the app reaches clusters from it`]),
  ]
}
