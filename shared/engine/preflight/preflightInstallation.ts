import type {
  ChartFacts,
  ImageFacts,
  InstallFacts,
  ProvisionerFacts,
  ScopePermissions,
  SubnetFacts,
  ToolFacts,
} from '../../model/installFacts.ts'
import { appFinding } from './appFinding.ts'
import { chooseHealthTopic } from './healthTopic.ts'
import { isGranted } from './isGranted.ts'
import type { Finding } from './preflight.ts'

/**
 * The longest prefix that a subnet may have. Azure asks for /27 for Flex Consumption. Private endpoints take one address each, and Azure takes five.
 */
const MOST_BITS = { app: 27, endpoints: 28 }
const DELEGATION = 'microsoft.app/environments'
/** The longest name that the templates take. */
const LONGEST_NAME = 40

/** What prevents an installation besides the clusters themselves, worst first. */
export function preflightInstallation(facts: InstallFacts): readonly Finding[] {
  const found = [
    ...nameFindings(facts),
    ...regionFindings(facts),
    ...facts.tools.flatMap(toolFindings),
    ...facts.permissions.flatMap(rightFindings),
    ...providerFindings(facts),
    ...facts.subnets.flatMap(subnetFindings),
    ...facts.charts.flatMap(chartFindings),
    ...facts.charts.flatMap(otherAppFindings),
    ...facts.provisioners.map(provisionerFinding),
    ...(facts.shimImage === undefined ? [] : imageFindings(facts.shimImage)),
    ...(facts.app === undefined ? [] : [appFinding(facts.app)]),
    ...(facts.systemTopics === undefined ? [] : chooseHealthTopic(facts.systemTopics).findings),
  ]
  return found.toSorted((one, other) => one.severity.localeCompare(other.severity))
}

function nameFindings({ environmentName: object }: InstallFacts): readonly Finding[] {
  if (object === undefined) return []
  if (object.length <= LONGEST_NAME && /^[A-Za-z0-9][-\w.]*[A-Za-z0-9]$|^[A-Za-z0-9]$/.test(object)) return []
  const message = `the name of the environment must have 1 to ${LONGEST_NAME} letters, digits, hyphens, dots and underscores, with a letter or digit at both ends: it is a part of names in Azure`
  return [{ severity: 'fail', code: 'PREFLIGHT.NAME', object, message, remedy: 'azd env new SHORTER-NAME' }]
}

function regionFindings({ location, flexRegions }: InstallFacts): readonly Finding[] {
  if (location === undefined || flexRegions === undefined || flexRegions.includes(location)) return []
  const message = 'the region has no Flex Consumption, which the app runs on'
  const remedy = 'azd env set AZURE_LOCATION REGION, with one of: az functionapp list-flexconsumption-locations'
  return [{ severity: 'fail', code: 'PREFLIGHT.REGION', object: location, message, remedy }]
}

function toolFindings({ name: object, least, version, remedy }: ToolFacts): readonly Finding[] {
  if (version !== undefined && !isOlder(version, least)) return []
  const message = version === undefined ? `it is not installed; ${least} or newer is needed` : `${version} is older than ${least}`
  return [{ severity: 'fail', code: 'PREFLIGHT.TOOL', object, message, remedy }]
}

function rightFindings({ scope, needs, granted }: ScopePermissions): readonly Finding[] {
  const missing = needs.filter((action) => !isGranted(action, granted))
  if (missing.length === 0) return []
  const message = `the account that is logged in has no right to ${missing.join(', ')}`
  return [{ severity: 'fail', code: 'PREFLIGHT.RIGHTS', object: scope, message, remedy: `ask for the role Owner on ${scope}` }]
}

function providerFindings({ providers }: InstallFacts): readonly Finding[] {
  return providers.flatMap(({ namespace: object, state }): readonly Finding[] => {
    if (state === 'Registered' || state === 'Registering') return []
    const message = `the resource provider is ${state} in the subscription; azd up registers it`
    return [{ severity: 'warn', code: 'PREFLIGHT.PROVIDER', object, message, remedy: `az provider register --namespace ${object}` }]
  })
}

function subnetFindings({ id: object, purpose, found }: SubnetFacts): readonly Finding[] {
  const fail = (message: string, remedy: string): Finding => ({ severity: 'fail', code: 'PREFLIGHT.SUBNET', object, message, remedy })
  if (found === undefined)
    return [fail(`the subnet for ${purpose} does not exist`, 'azd env set JOINER_SUBNETS with ids of subnets that exist')]
  const { bits, delegations, takenBy } = found
  const most = MOST_BITS[purpose]
  const small = bits > most ? [fail(`a /${bits} is too small for ${purpose}; /${most} is the least`, 'choose a larger subnet')] : []
  if (purpose === 'endpoints') return small
  const isDelegated = delegations.some((each) => each.toLowerCase() === DELEGATION)
  const strange = isDelegated
    ? []
    : [
        fail(
          'the subnet is not delegated to Microsoft.App/environments',
          `az network vnet subnet update --ids ${object} --delegations Microsoft.App/environments`,
        ),
      ]
  const taken =
    takenBy.length === 0
      ? []
      : [
          fail(
            `the subnet is used by ${takenBy.join(', ')}; an app of Flex Consumption needs a subnet of its own`,
            'choose a subnet of its own',
          ),
        ]
  return [...small, ...strange, ...taken]
}

/** A cluster has one app: the chart would leave the other one, whose machines nobody would look after. */
function otherAppFindings({ cluster: object, release, otherApp }: ChartFacts): readonly Finding[] {
  if (otherApp === undefined) return []
  const message = `chart ${release} in the cluster posts to the app ${otherApp}, which is not of this environment`
  const remedy =
    'if it is the same installation: azd env refresh; if the other is to go: azd down in its environment; if only the chart is left: helm uninstall joiner --namespace joiner'
  return [{ severity: 'fail', code: 'PREFLIGHT.CHART', object, message, remedy }]
}

function chartFindings({ cluster: object, release, installed, ours }: ChartFacts): readonly Finding[] {
  if (!isOlder(ours, installed)) return []
  const message = `chart ${release} ${installed} is installed, and this is ${ours}: a newer version may have written data that this version cannot read`
  return [{ severity: 'fail', code: 'PREFLIGHT.CHART', object, message, remedy: `use release ${installed} of Joiner or a newer one` }]
}

function imageFindings({ image: object, state, hasSecrets }: ImageFacts): readonly Finding[] {
  if (state === 'found') return []
  const isOfSecret = state === 'refused' && hasSecrets
  const message =
    state === 'noRegistry'
      ? 'az finds no container registry of this name'
      : state === 'absent'
        ? 'the registry does not have the image of the shim'
        : `the registry does not show the image of the shim ${isOfSecret ? 'without the secrets of the chart' : 'to anybody: it is private, or it is not there'}`
  const remedy =
    'azd env set JOINER_REGISTRY NAME, with an Azure container registry that the cluster may pull from, and azd up builds the image there; or: azd env set JOINER_SHIM_IMAGE with an image that exists'
  return [{ severity: isOfSecret ? 'warn' : 'fail', code: 'PREFLIGHT.IMAGE', object, message, remedy }]
}

/** Compares major, minor and patch. What follows a hyphen is ignored. */
function isOlder(version: string, than: string): boolean {
  const [one, other] = [numbersOf(version), numbersOf(than)]
  const at = one.findIndex((number, index) => number !== other[index])
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0)
}

function numbersOf(version: string): readonly number[] {
  const [, major = '0', minor = '0', patch = '0'] = /^v?(\d+)\.(\d+)(?:\.(\d+))?/.exec(version) ?? []
  return [major, minor, patch].map(Number)
}

function provisionerFinding({ cluster: object, name, shownBy: { kind, namespace, name: own } }: ProvisionerFacts): Finding {
  const message = `${name} runs, as the ${kind} ${namespace}/${own} shows: two provisioners would make machines for the same pods`
  const remedy =
    kind === 'Deployment'
      ? `stop it, as docs/migrate.md says: kubectl scale deployment ${own} --namespace ${namespace} --replicas 0`
      : 'stop it, as docs/migrate.md says; it may run outside of the cluster. Of one that stopped, the Lease is forgotten after two minutes'
  return { severity: 'fail', code: 'PREFLIGHT.OTHER_PROVISIONER', object, message, remedy }
}
