import { cloudProblem } from '../../model/cloud.ts'
import { type AgentPoolFacts, type ClusterFacts, NEWEST_MINOR, OLDEST_MINOR, unsupportedBeside } from '../../model/clusterFacts.ts'
import type { ProblemCode } from '../../model/problem.ts'

/** The choices of the person who installs Joiner. */
export type PreflightOptions = {
  /** How the app reaches the API server: over the internet, from one fixed address, or from inside the network. Undefined if it is not known. */
  readonly network?: 'public' | 'vnet' | 'private'
  /** The subscription that Joiner is deployed to. */
  readonly subscriptionId: string
  /** The tenant of that subscription. Undefined if it is not known. */
  readonly tenantId?: string
  /** Names of the fields that the entry of the cluster sets. */
  readonly overrides?: readonly string[]
}

/** `fail`: the installation would not work, and nothing should be made. `warn`: it works once something else is done. */
export type Finding = {
  readonly severity: 'warn' | 'fail'
  readonly code: Extract<ProblemCode, `PREFLIGHT.${string}`>
  /** The resource that the finding is about. */
  readonly object: string
  readonly message: string
  /** What to run, or to choose. */
  readonly remedy: string
}

type Rule = (facts: ClusterFacts, options: PreflightOptions) => Omit<Finding, 'object'> | undefined

/**
 * What prevents an installation of Joiner in a cluster, worst first. Empty if it can be installed. The rules of AKS are those of its documentation
 * as of November 2026.
 */
export function preflight(facts: ClusterFacts, options: PreflightOptions): readonly Finding[] {
  const found = [
    ...RULES.flatMap((rule) => rule(facts, options) ?? []),
    ...unsupportedBeside(facts, options.overrides ?? []).map(({ code, message, remedy }) => ({
      severity: 'fail' as const,
      code,
      message,
      remedy,
    })),
  ].map((finding): Finding => ({ ...finding, object: facts.resourceId }))
  return found.toSorted((one, other) => one.severity.localeCompare(other.severity))
}

const RULES: readonly Rule[] = [
  ({ resourceId }, { subscriptionId }) => {
    const [, , own = ''] = resourceId.split('/')
    if (own.toLowerCase() === subscriptionId.toLowerCase()) return undefined
    const message = `the cluster is in subscription ${own}, Joiner would be in ${subscriptionId}; both must be in one subscription`
    return { severity: 'fail', code: 'PREFLIGHT.SUBSCRIPTION', message, remedy: `azd env set AZURE_SUBSCRIPTION_ID ${own}` }
  },
  ({ entra }, { tenantId }) => {
    const own = entra?.tenantId
    if (own === undefined || tenantId === undefined || own.toLowerCase() === tenantId.toLowerCase()) return undefined
    const message = `the cluster accepts tokens of tenant ${own}, and the identity of the app would be of tenant ${tenantId}`
    return { severity: 'fail', code: 'PREFLIGHT.TENANT', message, remedy: 'use a cluster of the tenant of the subscription' }
  },
  ({ powerState, ...facts }) =>
    powerState === 'Running'
      ? undefined
      : {
          severity: 'fail',
          code: 'PREFLIGHT.STOPPED',
          message: 'the cluster is stopped',
          remedy: `az aks start ${nameOf(facts)}`,
        },
  ({ provisioningState, ...facts }) =>
    provisioningState === 'Succeeded'
      ? undefined
      : {
          severity: 'fail',
          code: 'PREFLIGHT.NOT_READY',
          message: `the state of the cluster is ${provisioningState}, not Succeeded`,
          remedy: `az aks wait --updated ${nameOf(facts)}; where it is Failed: az aks update ${nameOf(facts)}`,
        },
  ({ kubernetesVersion, ...facts }) => {
    const [major = 0, minor = 0] = kubernetesVersion.split('.').map(Number)
    if (major > 1 || minor >= OLDEST_MINOR) return undefined
    const message = `Kubernetes ${kubernetesVersion} is older than 1.${OLDEST_MINOR}, and machines could not join`
    return { severity: 'fail', code: 'PREFLIGHT.VERSION', message, remedy: `az aks upgrade ${nameOf(facts)} --kubernetes-version VERSION` }
  },
  ({ kubernetesVersion }) => {
    const [major = 0, minor = 0] = kubernetesVersion.split('.').map(Number)
    if (major === 1 && minor <= NEWEST_MINOR) return undefined
    const message = `Kubernetes ${kubernetesVersion} is newer than 1.${NEWEST_MINOR}, the newest version that this Joiner knows`
    const remedy = `use a newer Joiner, or set kubernetesVersion in the entry of the cluster to a version of 1.${NEWEST_MINOR}`
    return { severity: 'fail', code: 'PREFLIGHT.VERSION', message, remedy }
  },
  ({ location }) => {
    const message = cloudProblem(location)
    if (message === undefined) return undefined
    return { severity: 'fail', code: 'PREFLIGHT.UNSUPPORTED', message, remedy: 'use a cluster of the public cloud' }
  },
  ({ pools }) => poolsWith(pools, ({ hasFips }) => hasFips, 'run FIPS images', needed('spec.fipsMode')),
  ({ pools }) => poolsWith(pools, ({ encryptsAtHost }) => encryptsAtHost, 'have encryption at host', needed('spec.encryptionAtHost')),
  ({ pools }) =>
    poolsWith(
      pools,
      ({ hasLocalDns }) => hasLocalDns,
      'have local DNS',
      'for nodes with local DNS, set spec.localDNS.mode of the AKSNodeClass to Required; without it, pods ask the DNS service of the cluster, which network policies must allow',
    ),
  ({ sku }) =>
    sku === 'Automatic'
      ? {
          severity: 'fail',
          code: 'PREFLIGHT.AUTOMATIC',
          message: 'AKS Automatic makes its nodes itself and locks their resource group',
          remedy: 'use a cluster of the tier Base: az aks create --sku base',
        }
      : undefined,
  ({ nodeProvisioning, ...facts }) =>
    nodeProvisioning === 'Auto'
      ? {
          severity: 'fail',
          code: 'PREFLIGHT.NODE_AUTO_PROVISIONING',
          message: 'node auto provisioning is on: two provisioners would make machines for the same pods',
          remedy: `az aks update ${nameOf(facts)} --node-provisioning-mode Manual`,
        }
      : undefined,
  ({ pools, ...facts }) => {
    const names = pools.filter(({ autoscales }) => autoscales).map(({ name }) => name)
    if (names.length === 0) return undefined
    const message = `the cluster autoscaler scales the pools ${names.join(', ')}: it and Joiner would make machines for the same pods`
    const [, group, cluster] = /^--resource-group (\S+) --name (\S+)$/.exec(nameOf(facts)) ?? []
    const remedy = `az aks nodepool update --resource-group ${group} --cluster-name ${cluster} --name ${names[0]} --disable-cluster-autoscaler, for each of them: docs/migrate.md`
    return { severity: 'fail', code: 'PREFLIGHT.OTHER_PROVISIONER', message, remedy }
  },
  ({ nodeResourceGroupRestriction, nodeResourceGroup, ...facts }) =>
    nodeResourceGroupRestriction === 'ReadOnly'
      ? {
          severity: 'fail',
          code: 'PREFLIGHT.NODE_GROUP_LOCKED',
          message: `the node resource group ${nodeResourceGroup} refuses changes (ReadOnly)`,
          remedy: `az aks update ${nameOf(facts)} --nrg-lockdown-restriction-level Unrestricted`,
        }
      : undefined,
  ({ identity, ...facts }) =>
    identity === 'ServicePrincipal'
      ? {
          severity: 'fail',
          code: 'PREFLIGHT.SERVICE_PRINCIPAL',
          message: 'the cluster uses a service principal, so it has no managed identity for new machines',
          remedy: `az aks update ${nameOf(facts)} --enable-managed-identity`,
        }
      : undefined,
  ({ entra, ...facts }) =>
    entra === undefined
      ? {
          severity: 'fail',
          code: 'PREFLIGHT.ENTRA',
          message: 'the API server accepts no Entra tokens, and the app has no other credential',
          remedy: `az aks update ${nameOf(facts)} --enable-aad`,
        }
      : undefined,
  ({ oidcIssuer, ...facts }) =>
    oidcIssuer === undefined
      ? {
          severity: 'fail',
          code: 'PREFLIGHT.OIDC_ISSUER',
          message: 'the OIDC issuer of the cluster is off, so the app cannot verify the token of the shim',
          remedy: `az aks update ${nameOf(facts)} --enable-oidc-issuer`,
        }
      : undefined,
  ({ hasWorkloadIdentity, ...facts }) =>
    hasWorkloadIdentity
      ? undefined
      : {
          severity: 'fail',
          code: 'PREFLIGHT.WORKLOAD_IDENTITY',
          message: 'workload identity is off, so spot nodes cannot report interruptions',
          remedy: `az aks update ${nameOf(facts)} --enable-workload-identity`,
        },
  ({ apiServer }, { network }) =>
    apiServer.isPrivate && network === 'public'
      ? {
          severity: 'fail',
          code: 'PREFLIGHT.PRIVATE_CLUSTER',
          message: 'the API server is private, and network=public does not reach it',
          remedy: 'azd env set JOINER_NETWORK vnet: the network of the app is then joined with that of the cluster',
        }
      : undefined,
  ({ apiServer }, { network }) => {
    const count = apiServer.authorizedRanges.length
    if (count === 0 || apiServer.isPrivate || network === undefined) return undefined
    const message = `the API server admits ${count} ${count === 1 ? 'range' : 'ranges'} of addresses only`
    const remedy =
      network === 'public'
        ? 'azd env set JOINER_NETWORK vnet, and add the fixed address that is printed at the end'
        : 'add the fixed address that is printed at the end'
    return { severity: 'warn', code: 'PREFLIGHT.AUTHORIZED_RANGES', message, remedy }
  },
  ({ pools }) =>
    pools.some(({ mode, count }) => mode === 'System' && count > 0)
      ? undefined
      : {
          severity: 'fail',
          code: 'PREFLIGHT.SYSTEM_POOL',
          message: 'no system node pool has a node, and the shim runs on one',
          remedy: 'az aks nodepool scale --node-count 2 for the system pool',
        },
]

/** A warning about a property of pools that an AKSNodeClass must state, too. */
function needed(field: string): string {
  return `set ${field} in each AKSNodeClass: no machine is made without it`
}

function poolsWith(
  pools: readonly AgentPoolFacts[],
  has: (pool: AgentPoolFacts) => boolean,
  what: string,
  remedy: string,
): Omit<Finding, 'object'> | undefined {
  const names = pools.filter(has).map(({ name }) => name)
  if (names.length === 0) return undefined
  const message = `the nodes of ${names.join(', ')} ${what}, and those of Joiner do so only where the AKSNodeClass says so`
  return { severity: 'warn', code: 'PREFLIGHT.POOLS', message, remedy }
}

function nameOf({ resourceId }: Pick<ClusterFacts, 'resourceId'>): string {
  const parts = resourceId.split('/')
  return `--resource-group ${parts[4]} --name ${parts[8]}`
}
