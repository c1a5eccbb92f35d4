import * as z from 'zod'
import { idOf } from '../../cli/clusterName.ts'
import { type InspectedCluster, inspect } from '../../cli/preflight/inspect.ts'
import { type InstallOptions, readInstallOptions } from '../../cli/preflight/installOptions.ts'
import { inspectionLines } from '../../cli/preflight/printInspection.ts'
import { valueProblems } from '../../cli/preflight/values/checkValues.ts'
import { setValues } from './azdValues.ts'
import { keyOfNobody, privateZoneOf } from './clusterDetails.ts'
import { type ClusterParameter, clusterParameter } from './clusterParameters.ts'
import { type HookDeps, HookFailure } from './hookDeps.ts'
import { registerProviders } from './registerProviders.ts'

/**
 * Runs before anything is created. Checks whether Joiner can be installed, and passes the facts of the clusters to the templates. Returns 1, and
 * creates nothing, if something prevents the installation. Runs before each layer; values that have not changed are not written again.
 */
export async function runPreprovision(deps: HookDeps): Promise<number> {
  const { environment, print } = deps
  const wrong = valueProblems(environment)
  if (wrong.length > 0) return refusedValues(deps, wrong)
  if (isBeforeQuestions(environment))
    return beforeDemo(deps, 'azd has not asked for the subscription yet: the demo cluster is looked at later')
  const wishes = readInstallOptions(environment)
  if (!wishes.ok) return refusedValues(deps, wishes.error)
  const inspection = await inspect(deps, wishes.value)
  const { clusters, providers, healthTopicId: topicId, failed } = inspection
  for (const line of inspectionLines(inspection)) print(line)
  if (failed) return refused(deps)
  const isDemoFirst = clusters.length === 0
  const parameters = await describe(deps, wishes.value, clusters)
  await registerProviders(deps, wishes.value.subscriptionId, providers)
  if (isDemoFirst) return beforeDemo(deps, 'the demo cluster is made first, and looked at then')
  await setValues(deps, {
    JOINER_CLUSTER_FACTS: JSON.stringify(parameters),
    JOINER_APP_DEPLOYED: environment['JOINER_APP_DEPLOYED'] || 'false',
    ...(topicId === undefined ? {} : { JOINER_FOUND_HEALTH_TOPIC_ID: topicId }),
  })
  return 0
}

/** In a new environment, azd asks for the subscription after its hook `preup`. A demo cluster needs no answer of Azure before. */
function isBeforeQuestions({
  AZURE_SUBSCRIPTION_ID: subscription,
  JOINER_DEMO_CLUSTER: demo,
  JOINER_CLUSTER_IDS: ids,
}: HookDeps['environment']): boolean {
  return !subscription && demo === 'true' && !ids
}

/** azd asks for a parameter whose variable is not set. The list is empty until the cluster is there. */
async function beforeDemo(deps: HookDeps, message: string): Promise<number> {
  await setValues(deps, { JOINER_CLUSTER_FACTS: '[]' })
  deps.print(`ok    ${message}`)
  return 0
}

function refusedValues({ print }: Pick<HookDeps, 'print'>, problems: readonly string[]): number {
  for (const problem of problems) print(`FAIL  SETTING.INVALID   ${problem}`)
  return 1
}

function refused({ print }: Pick<HookDeps, 'print'>): number {
  print('Nothing was made. Mend what FAIL says and run azd up again.')
  return 1
}

async function describe(
  deps: HookDeps,
  { overrides }: InstallOptions,
  clusters: readonly InspectedCluster[],
): Promise<readonly ClusterParameter[]> {
  const described: ClusterParameter[] = []
  for (const { facts, server } of clusters) {
    if (facts === undefined || server === undefined) continue
    const privateDnsZoneId = await privateZoneOf(deps, facts)
    const sshPublicKey = facts.sshPublicKey === undefined ? (knownKey(deps.environment, facts.resourceId) ?? keyOfNobody()) : undefined
    described.push(clusterParameter({ facts, server, privateDnsZoneId, sshPublicKey }, overrides[idOf(facts.resourceId)]))
  }
  return unlike(described)
}

/** Returns the key that an earlier run generated. It is kept, because machines are created with it. */
function knownKey(environment: HookDeps['environment'], resourceId: string): string | undefined {
  const known = z
    .array(z.object({ id: z.string(), overrides: z.object({ sshPublicKey: z.string().optional() }) }))
    .safeParse(parsed(environment))
  return known.data?.find(({ id }) => id === resourceId)?.overrides.sshPublicKey
}

function parsed({ JOINER_CLUSTER_FACTS: text = '[]' }: HookDeps['environment']): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Refuses two clusters of the same name: the name is the key of everything that belongs to a cluster. */
function unlike(clusters: readonly ClusterParameter[]): readonly ClusterParameter[] {
  const twice = clusters.find(({ name }, at) => clusters.findIndex((each) => each.name === name) !== at)
  if (twice === undefined) return clusters
  const ids = clusters.filter(({ name }) => name === twice.name).map(({ id }) => id)
  throw new HookFailure(
    `PREFLIGHT.NAME   clusters ${ids.join(' and ')} have the same first 40 letters in their names, and Joiner cannot tell them apart; name one of them`,
  )
}
