import { ownValue } from '../base/ownValue.ts'
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
  AzureQuotaFamily: quotaLink,
  AzureQuotaSpot: quotaLink,
  AzureQuotaRegion: quotaLink,
  AzureForbidden: rights,
  AzurePolicyDenied: activity,
  AzureNicReserved: activity,
  AzurePropertyChange: activity,
  AzureImageNotFound: activity,
  AzureNotFound: activity,
  AzureFailed: activity,
  AzureLocked: activity,
  AzureSubscription: activity,
  AzureNetworkLimit: activity,
  // The workbook shows all refusals by size and zone, which no page of Azure does.
  AzureSkuNotAvailable: workbookLink,
  AzureAllocationZone: workbookLink,
  AzureAllocationRegion: workbookLink,
  AzureAllocationOverconstrainedZone: workbookLink,
  AzureAllocationOverconstrained: workbookLink,
  AzureThrottled: workbookLink,
  LaunchTimeout: workbookLink,
  RegistrationFailed: workbookLink,
  NodesDoNotJoin: workbookLink,
  CreationForbidden: rights,
}

/** Returns the condition reason for a problem code: `AzureQuotaFamily` for `AZURE.QUOTA.FAMILY`. */
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
