import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SOME_LINKS } from '../../test/builders/links.ts'
import { launchReasonOf, linkOfReason, reasonOfCode, splitLink, withLink } from './conditionLinks.ts'
import { PROBLEM_CODES } from './problem.ts'

const NETWORK = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v'
const ABOUT = { machine: 'joiner-default-a', subnetId: `${NETWORK}/subnets/nodes` }
const PORTAL = `${SOME_LINKS.portal}/#@t`
const MACHINE = `${PORTAL}/resource${SOME_LINKS.machineGroupId}/providers/Microsoft.Compute/virtualMachines/joiner-default-a`
const SUBNETS = `${PORTAL}/resource${NETWORK}/subnets`
const ACTIVITY = `${PORTAL}/resource${SOME_LINKS.machineGroupId}/eventlogs`
const QUOTA = `${PORTAL}/blade/Microsoft_Azure_Capacity/QuotaMenuBlade/~/myQuotas`
const WORKBOOK = `${PORTAL}/resource${SOME_LINKS.workbookId}/workbook`

/** The page that each reason about Azure links to. */
const LINKED: { readonly [reason: string]: string } = {
  Launched: MACHINE,
  NodeNotFound: MACHINE,
  MultipleNodesFound: MACHINE,
  RegistrationTimeout: MACHINE,
  NodeNotReady: MACHINE,
  StartupTaintsExist: MACHINE,
  KnownEphemeralTaintsExist: MACHINE,
  ResourceNotRegistered: MACHINE,
  UndeclaredTaintsExist: MACHINE,
  InitializationTimeout: MACHINE,
  ConsistencyCheckFailed: MACHINE,
  AsyncProvisioningError: MACHINE,
  SubnetNotFound: SUBNETS,
  SubnetForbidden: `${PORTAL}/resource${NETWORK}/users`,
  SubnetIDInvalid: SUBNETS,
  AzureSubnetFull: SUBNETS,
  SubscriptionQuotaReached: QUOTA,
  CreationForbidden: `${PORTAL}/resource${SOME_LINKS.machineGroupId}/users`,
  AzureForbidden: `${PORTAL}/resource${SOME_LINKS.machineGroupId}/users`,
  AzurePolicyDenied: ACTIVITY,
  AzureNicReserved: ACTIVITY,
  AzurePropertyChange: ACTIVITY,
  AzureImageNotFound: ACTIVITY,
  AzureNotFound: ACTIVITY,
  AzureFailed: ACTIVITY,
  CreateInstanceFailed: ACTIVITY,
  AzureLocked: ACTIVITY,
  AzureSubscription: ACTIVITY,
  AzureNetworkLimit: ACTIVITY,
  SKUNotAvailable: WORKBOOK,
  ZonalAllocationFailure: WORKBOOK,
  AllocationFailure: WORKBOOK,
  OverconstrainedZonalAllocationFailure: WORKBOOK,
  OverconstrainedAllocationFailure: WORKBOOK,
  AzureThrottled: WORKBOOK,
  LaunchTimeout: WORKBOOK,
  RegistrationFailed: WORKBOOK,
  NodesDoNotJoin: WORKBOOK,
}

/** Words of the engine that are not a reason of a condition, or a reason that concerns the cluster alone or whose message names the resource. */
const NOT_OF_AZURE = new Set(
  `True False Unknown Normal Warning In Required Preferred
  Registered Initialized Drained VolumesDetached InstanceTerminating ConsistentStateFound Ready ValidationSucceeded NodeClassReady NodeRegistrationHealthy
  DiskEncryptionSetUnknown DiskEncryptionSetRBACMissing DiskEncryptionSetNotFound KubernetesVersionReady ImagesReady SubnetsReady LocalDNSReady AwaitingReconciliation AwaitingRegistration
  InstanceTypesUnknown InstanceTypeResolutionFailed ImagesNotFound LocalDNSNotSupported NodePoolValidationFailed NoCompatibleInstanceTypes ClusterNotSupported
  WaitingOnNodeClaimTermination NodeClassNotFound NodeClassNotReady NodeClassTerminating NodeClassReadinessUnknown NodeClassResolutionError
  Draining FailedDraining AwaitingVolumeDetachment AwaitingNodeDeletion VolumeDetachmentOverdue TerminationGracePeriodElapsed FailedConsistencyCheck TerminationGracePeriodExpiring UnregisteredTaintMissing
  InsufficientCapacityError InstanceGone NodeDeleted LaunchFailed StepFailed InvalidTerminationTimestamp InvalidDoNotDisruptAnnotation TryingAgain DisruptionBlocked DriftedAtBirth UnknownValue RebootObserved Never`.split(
    /\s+/,
  ),
)

function wordsOf(folder: string): readonly string[] {
  const url = new URL(`../engine/${folder}/`, import.meta.url)
  const files = readdirSync(url).filter((name) => !name.includes('.test.'))
  return files.flatMap((name) => [...readFileSync(new URL(name, url), 'utf8').matchAll(/'([A-Z][A-Za-z]+)'/g)].map(([, word = '']) => word))
}

describe('a reason', () => {
  it.each(Object.entries(LINKED))('%s leads to where its cause is seen', (reason, link) => {
    expect(linkOfReason(SOME_LINKS, reason, ABOUT)).toBe(link)
    expect(linkOfReason(undefined, reason, ABOUT)).toBeUndefined()
  })

  it('leads nowhere where what it names is not known, or is no id', () => {
    expect(linkOfReason(SOME_LINKS, 'NodeNotFound', {})).toBeUndefined()
    expect(linkOfReason(SOME_LINKS, 'SubnetIDInvalid', { subnetId: '/subnets/x' })).toBeUndefined()
  })

  it('of the engine leads to Azure, or is known to have nothing to do with it', () => {
    const words = ['lifecycle', 'status'].flatMap(wordsOf)
    expect(words.length).toBeGreaterThan(50)
    expect(words.filter((word) => LINKED[word] === undefined && !NOT_OF_AZURE.has(word))).toEqual([])
    expect([...NOT_OF_AZURE].filter((word) => linkOfReason(SOME_LINKS, word, ABOUT) !== undefined)).toEqual([])
  })

  it('of each refusal of Azure has its page', () => {
    const reasons = PROBLEM_CODES.filter((code) => code.startsWith('AZURE.')).map(launchReasonOf)
    expect(reasons).toContain('AzurePolicyDenied')
    expect(reasons.filter((reason) => LINKED[reason] === undefined)).toEqual([])
  })
})

describe('the reason of a launch that Azure refused', () => {
  it.each([
    ['AZURE.QUOTA.SPOT', 'SubscriptionQuotaReached'],
    ['AZURE.QUOTA.FAMILY', 'SubscriptionQuotaReached'],
    ['AZURE.QUOTA.REGION', 'SubscriptionQuotaReached'],
    ['AZURE.SKU_NOT_AVAILABLE', 'SKUNotAvailable'],
    ['AZURE.ALLOCATION.ZONE', 'ZonalAllocationFailure'],
    ['AZURE.ALLOCATION.REGION', 'AllocationFailure'],
    ['AZURE.ALLOCATION.OVERCONSTRAINED_ZONE', 'OverconstrainedZonalAllocationFailure'],
    ['AZURE.ALLOCATION.OVERCONSTRAINED', 'OverconstrainedAllocationFailure'],
    ['AZURE.FAILED', 'CreateInstanceFailed'],
  ] as const)('ER-22, ER-23: %s is %s, as the provider of Karpenter for Azure says it', (code, reason) => {
    expect(launchReasonOf(code)).toBe(reason)
  })

  it('is the name of the code where the provider has no word of its own', () => {
    const own = PROBLEM_CODES.filter((code) => code.startsWith('AZURE.') && launchReasonOf(code) === reasonOfCode(code))
    expect(own.map(launchReasonOf)).toEqual(expect.arrayContaining(['AzureLocked', 'AzurePolicyDenied', 'AzureSubnetFull']))
    expect(own).not.toContain('AZURE.FAILED')
  })
})

describe('a text and its link', () => {
  it.each([
    ['why', MACHINE],
    ['', MACHINE],
    ['two\nlines, and https://aka.ms/more', QUOTA],
  ])('are put together and taken apart: %s', (text, link) => {
    expect(splitLink(withLink(text, link))).toEqual({ text, link })
  })

  it('are the text alone without a link of ours', () => {
    const text = 'see\nhttps://aka.ms/more'
    expect(splitLink(withLink(text, undefined))).toEqual({ text })
  })
})
