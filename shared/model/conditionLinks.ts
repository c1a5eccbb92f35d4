import { ownValue } from '../base/values.ts'
import { type ClusterLinks, machineGroupLink, machineNamedLink, quotaLink, subnetsLink, workbookLink } from './portalLinks.ts'
import type { ProblemCode } from './problem.ts'

/** The Azure resources that a condition is about, as far as they are known. */
export type AboutAzure = {
  /** The name of the VM. */
  readonly machine?: string | undefined
  readonly subnetId?: string | undefined
}

type Page = (links: ClusterLinks, about: AboutAzure) => string | undefined

const machine: Page = (links, about) => about.machine && machineNamedLink(links, about.machine)
const subnets: Page = (links, { subnetId }) => subnetsLink(links, subnetId)
const subnetRights: Page = (links, { subnetId }) => subnetsLink(links, subnetId, '/users')
const rights: Page = (links) => machineGroupLink(links, '/users')
const activity: Page = (links) => machineGroupLink(links, '/eventlogs')

/**
 * The portal page that shows the cause, by reason of the condition. For a machine that exists and fails, its own page. For a refusal by Azure, the
 * page of the obstacle. Reasons of a launch are made from problem codes.
 */
const PAGES: { readonly [reason: string]: Page } = {
  Launched: machine,
  NodeNotFound: machine,
  MultipleNodesFound: machine,
  RegistrationTimeout: machine,
  NodeNotReady: machine,
  StartupTaintsExist: machine,
  KnownEphemeralTaintsExist: machine,
  ResourceNotRegistered: machine,
  UndeclaredTaintsExist: machine,
  InitializationTimeout: machine,
  ConsistencyCheckFailed: machine,
  AsyncProvisioningError: machine,
  SubnetNotFound: subnets,
  SubnetForbidden: subnetRights,
  SubnetIDInvalid: subnets,
  AzureSubnetFull: subnets,
  SubscriptionQuotaReached: quotaLink,
  AzureForbidden: rights,
  AzurePolicyDenied: activity,
  AzureNicReserved: activity,
  AzurePropertyChange: activity,
  AzureImageNotFound: activity,
  AzureNotFound: activity,
  AzureFailed: activity,
  CreateInstanceFailed: activity,
  AzureLocked: activity,
  AzureSubscription: activity,
  AzureNetworkLimit: activity,
  // The workbook shows all refusals by size and zone, which no page of Azure does.
  SKUNotAvailable: workbookLink,
  ZonalAllocationFailure: workbookLink,
  AllocationFailure: workbookLink,
  OverconstrainedZonalAllocationFailure: workbookLink,
  OverconstrainedAllocationFailure: workbookLink,
  AzureThrottled: workbookLink,
  LaunchTimeout: workbookLink,
  RegistrationFailed: workbookLink,
  NodesDoNotJoin: workbookLink,
  CreationForbidden: rights,
}

/**
 * The reasons of the condition `Launched` that Karpenter's provider for Azure gives. Tools that read them go on to work. A cause that the provider does
 * not tell from others has the name of its code.
 */
const LAUNCH_REASONS: { readonly [Code in ProblemCode]?: string } = {
  'AZURE.QUOTA.FAMILY': 'SubscriptionQuotaReached',
  'AZURE.QUOTA.SPOT': 'SubscriptionQuotaReached',
  'AZURE.QUOTA.REGION': 'SubscriptionQuotaReached',
  'AZURE.SKU_NOT_AVAILABLE': 'SKUNotAvailable',
  'AZURE.ALLOCATION.ZONE': 'ZonalAllocationFailure',
  'AZURE.ALLOCATION.REGION': 'AllocationFailure',
  'AZURE.ALLOCATION.OVERCONSTRAINED_ZONE': 'OverconstrainedZonalAllocationFailure',
  'AZURE.ALLOCATION.OVERCONSTRAINED': 'OverconstrainedAllocationFailure',
  'AZURE.FAILED': 'CreateInstanceFailed',
}

/** Returns the reason of the condition `Launched` for a problem code. */
export function launchReasonOf(code: ProblemCode): string {
  return LAUNCH_REASONS[code] ?? reasonOfCode(code)
}

/** Returns the condition reason for a problem code: `AzurePolicyDenied` for `AZURE.POLICY_DENIED`. */
export function reasonOfCode(code: ProblemCode): string {
  const words = code.split('.').flatMap((part) => part.split('_'))
  return words.map((word) => `${word.charAt(0)}${word.slice(1).toLowerCase()}`).join('')
}

/** Returns the link for a condition reason. Undefined if the reason is not about Azure, or if links are not configured. */
export function linkOfReason(links: ClusterLinks | undefined, reason: string, about: AboutAzure): string | undefined {
  return links && ownValue(PAGES, reason)?.(links, about)
}

/** Appends the link as a line of its own. */
export function withLink(text: string, link: string | undefined): string {
  return link === undefined ? text : text === '' ? link : `${text}\n${link}`
}

const LINK = /(?:^|\n)(https:\/\/\S+\/#@\S+)$/

/** Splits a message of `withLink` into text and link. Callers that quote or extend the text need it without the link. */
export function splitLink(message: string): { readonly text: string; readonly link?: string } {
  const found = LINK.exec(message)
  return found?.[1] === undefined ? { text: message } : { text: message.slice(0, found.index), link: found[1] }
}
