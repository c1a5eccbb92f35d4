import { type ClusterLinks, machineGroupLink, machineNamedLink, quotaLink, subnetsLink, workbookLink } from './portalLinks.ts'
import type { ProblemCode } from './problem.ts'

/** What of Azure a condition speaks of, as far as it is known. */
export type AboutAzure = {
  /** The machine's own name. */
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
 * Where the cause is seen, by the reason of the condition: of a machine that is there and does not do what it should, its own page; of what Azure
 * refuses, the page of what stands in the way. Reasons of a launch are made of the codes of problems.
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
  // what is told of them all, by size and zone, says more than any page of Azure
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

/** What a condition calls a problem: `AZURE.QUOTA.FAMILY` is `AzureQuotaFamily`. */
export function reasonOfCode(code: ProblemCode): string {
  const words = code.split('.').flatMap((part) => part.split('_'))
  return words.map((word) => `${word.charAt(0)}${word.slice(1).toLowerCase()}`).join('')
}

/** Where somebody who reads of this reason looks next; undefined where it names nothing of Azure, or people are not led to the portal. */
export function linkOfReason(links: ClusterLinks | undefined, reason: string, about: AboutAzure): string | undefined {
  return links && PAGES[reason]?.(links, about)
}

/** The text with a line for the link. */
export function withLink(text: string, link: string | undefined): string {
  return link === undefined ? text : text === '' ? link : `${text}\n${link}`
}

const LINK = /(?:^|\n)(https:\/\/\S+\/#@\S+)$/

/** The text and the link that were put together, apart again: who quotes the text, or adds to it, does not want the link within. */
export function splitLink(message: string): { readonly text: string; readonly link?: string } {
  const found = LINK.exec(message)
  return found?.[1] === undefined ? { text: message } : { text: message.slice(0, found.index), link: found[1] }
}
