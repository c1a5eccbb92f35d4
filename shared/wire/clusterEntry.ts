import * as z from 'zod'
import { err, messageOf, ok, type Result } from '../base/result.ts'
import { defined } from '../base/values.ts'
import { type ClusterFacts, unsupportedBeside } from '../model/clusterFacts.ts'
import { clusterId } from '../model/ids.ts'
import { isManagedSubnet } from '../model/nodeClass.ts'
import { type Problem, problem } from '../model/problem.ts'
import { type ClusterConfig, clusterEntryFields, OVERRIDES, parseClusterConfig, problemAt, SETTING } from './clusterConfig.ts'

const ID_RULE = /^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/

const entry = clusterEntryFields
  .refine(({ machinePrefix, formerMachinePrefixes }) => areApart([machinePrefix, ...formerMachinePrefixes]), {
    path: ['formerMachinePrefixes'],
    error: 'must not begin as another prefix of machines does',
  })
  .refine(({ id, resourceId }) => id !== undefined || ID_RULE.test(nameIn(resourceId)), {
    path: ['id'],
    error: 'is required where the name of the cluster has more than 40 characters, or others than letters, digits and inner hyphens',
  })
  .refine(({ shimServiceAccount, readerServiceAccount }) => shimServiceAccount !== readerServiceAccount, {
    path: ['readerServiceAccount'],
    error: 'must not be the service account of the shim: a reader may not post',
  })
  .transform((read) => ({ ...read, id: read.id ?? clusterId(nameIn(read.resourceId)) }))

/** One entry of JOINER_CLUSTERS: the cluster, the operator's settings, and overrides of values from Azure. */
export type ClusterEntry = Readonly<z.output<typeof entry>>

/** Reports whether no prefix begins with another. Otherwise the name of a machine could belong to two claims. */
function areApart(prefixes: readonly string[]): boolean {
  return prefixes.every((prefix, index) => !prefixes.some((other, at) => at !== index && prefix.startsWith(other)))
}

function nameIn(resourceId: string): string {
  return resourceId.slice(resourceId.lastIndexOf('/') + 1).toLowerCase()
}

/** Parses the whole setting. Each problem names the setting, the place in the setting and the rule. */
export function parseClusterEntries(text: string): Result<readonly ClusterEntry[], readonly Problem[]> {
  const parsed = parseJson(text)
  if (!parsed.ok) return parsed
  const list = z.array(entry).min(1, 'must name at least one cluster').safeParse(parsed.value)
  if (!list.success) return err(list.error.issues.map((issue) => problemAt(issue.path, issue.message)))
  const problems = [
    ...repeated(list.data, 'id', ({ id }) => id),
    ...repeated(list.data, 'resourceId', ({ resourceId }) => resourceId.toLowerCase()),
    ...repeated(list.data, 'eventGridTopicId', ({ eventGridTopicId }) => eventGridTopicId?.toLowerCase()),
    ...repeated(list.data, 'oidcIssuer', ({ oidcIssuer }) => oidcIssuer?.toLowerCase()),
  ]
  return problems.length === 0 ? ok(list.data) : err(problems)
}

/** Returns a problem if two entries have the same value in a field that identifies a cluster. */
function repeated(
  entries: readonly ClusterEntry[],
  field: keyof ClusterEntry,
  read: (entry: ClusterEntry) => string | undefined,
): readonly Problem[] {
  const values = entries.map(read)
  const double = values.findIndex((value, index) => value !== undefined && values.indexOf(value) !== index)
  return double < 0 ? [] : [problemAt([double, field], `must be unique; ${values[double]} is there twice`)]
}

function parseJson(text: string): Result<unknown, readonly Problem[]> {
  try {
    return ok(JSON.parse(text))
  } catch (cause) {
    const reason = messageOf(cause)
    return err([problem('SETTING.INVALID', `setting ${SETTING}: must be a JSON array of clusters; ${reason}`, { object: SETTING })])
  }
}

/** Returns the names of the fields of an entry that override values from Azure. */
export function overridesOf(entry: ClusterEntry): readonly string[] {
  return OVERRIDES.filter((name) => Reflect.get(entry, name) !== undefined)
}

/**
 * Returns the configuration of a cluster: the fields of the entry, completed by the facts from Azure. Without facts, only the entry counts.
 * SETTING.INVALID names each field that has no value or an unusable one.
 */
export function resolveCluster(entry: ClusterEntry, facts: ClusterFacts | undefined): Result<ClusterConfig, readonly Problem[]> {
  const { resourceId, ...set } = entry
  const [, , subscriptionId] = resourceId.split('/')
  const clusterName = resourceId.slice(resourceId.lastIndexOf('/') + 1)
  const said = facts === undefined ? {} : factFields(facts, entry)
  const whole = { ...said, ...defined(set), subscriptionId, clusterName }
  const resolved = parseClusterConfig(whole)
  if (resolved.ok) return resolved
  return err(resolved.error.map((each) => (isLeftOut(whole, each.path) ? unsaid(entry, each.path) : each)))
}

function isLeftOut(whole: object, path: string | undefined): path is string {
  return path !== undefined && Reflect.get(whole, path) === undefined
}

function unsaid({ id, resourceId }: ClusterEntry, field: string): Problem {
  const rule = `is not known: Azure does not say it of cluster ${id} (${resourceId}), or was not asked yet; set it in the entry of the cluster`
  return problemAt([field], rule)
}

/** End of the resource id of the network security group that AKS creates in the node resource group. */
const SECURITY_GROUP = /\/networkSecurityGroups\/(aks-agentpool-(\d+)-nsg)$/i

/** Returns the facts under the field names of an entry. */
function factFields(facts: ClusterFacts, entry: ClusterEntry): object {
  const { network, kubeletIdentity } = facts
  const subnetId = entry.vnetSubnetId ?? network.subnetId
  const [, securityGroup, number] = SECURITY_GROUP.exec(network.networkSecurityGroupId ?? '') ?? []
  const isOwn = subnetId !== undefined && !isManagedSubnet(subnetId, facts.nodeResourceGroup)
  return defined({
    hasFacts: true,
    tenantId: facts.entra?.tenantId,
    location: facts.location,
    nodeResourceGroup: facts.nodeResourceGroup,
    vnetSubnetId: network.subnetId,
    vnetGuid: network.vnetGuid,
    networkSecurityGroupId: isOwn ? network.networkSecurityGroupId : undefined,
    networkSecurityGroup: securityGroup,
    routeTable: number && `aks-agentpool-${number}-routetable`,
    apiServer: facts.apiServer.url,
    kubernetesVersion: facts.kubernetesVersion,
    kubeletIdentityClientId: kubeletIdentity?.clientId,
    nodeIdentities: kubeletIdentity && [kubeletIdentity.resourceId],
    sshPublicKey: facts.sshPublicKey,
    networkPlugin: network.plugin,
    networkPluginMode: network.pluginMode,
    networkPolicy: network.policy,
    networkDataplane: network.dataplane,
    dnsServiceIp: network.dnsServiceIp,
    backendPoolIds: network.backendPoolIds,
    oidcIssuer: facts.oidcIssuer,
    diskEncryptionSetId: facts.diskEncryptionSetId,
    httpProxy: facts.httpProxy,
    trustedCertificates: facts.trustedCertificates,
    unsupported: unsupportedBeside(facts, overridesOf(entry)).map(({ message, remedy }) => `${message}; ${remedy}`),
    fipsPools: facts.pools.filter(({ hasFips }) => hasFips).map(({ name }) => name),
    encryptedPools: facts.pools.filter(({ encryptsAtHost }) => encryptsAtHost).map(({ name }) => name),
  })
}
