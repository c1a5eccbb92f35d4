import { InternalError } from '../base/result.ts'

/** What differs from cloud to cloud. A fact that is undefined is not known, and no machine is made in the cloud without it. */
export type CloudFacts = {
  /** URL of Azure Resource Manager, which is also the audience of its tokens. */
  readonly resourceManager: string
  readonly authority: string
  /** Issuer of tokens of version 1, before the tenant. */
  readonly firstIssuer: string
  readonly portal: string
  readonly storageSuffix: string
  /** Ending of the names of Azure container registries. */
  readonly registrySuffix: string
  /** Registry that images of AKS come from. */
  readonly imageRegistry: string
  /** Place that binaries of Kubernetes and its plugins come from. */
  readonly binaryMirror: string
  /** Public names of the community galleries of node images. */
  readonly ubuntuGallery: string
  readonly azureLinuxGallery: string
  /** Subscription of the shared galleries of node images. */
  readonly gallerySubscriptionId: string
  /** URL of the retail price list. */
  readonly prices: string
}

type CloudRow = {
  /** Name in the boot contract, `TARGET_CLOUD`. */
  readonly name: string
  /** Name in sentences. */
  readonly title: string
  /** Beginnings of the names of its regions. Undefined: all regions of no other row. */
  readonly regions: RegExp | undefined
  readonly facts: { readonly [Fact in keyof CloudFacts]: CloudFacts[Fact] | undefined }
}
export type Cloud = Pick<CloudRow, 'name' | 'title'> & { readonly facts: CloudFacts }

/** What a fact is called in a message. */
const FACT_WORDS: { readonly [Fact in keyof CloudFacts]: string } = {
  resourceManager: 'URL of Azure Resource Manager',
  authority: 'authority of tokens',
  firstIssuer: 'issuer of tokens of version 1',
  portal: 'portal',
  storageSuffix: 'names of storage accounts',
  registrySuffix: 'names of registries',
  imageRegistry: 'registry of AKS images',
  binaryMirror: 'mirror of binaries',
  ubuntuGallery: 'image gallery of Ubuntu',
  azureLinuxGallery: 'image gallery of Azure Linux',
  gallerySubscriptionId: 'subscription of shared image galleries',
  prices: 'price list',
}

/** The name of the form of a template for a resource group. It is an address that all clouds share. */
export const TEMPLATE_SCHEMA = 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#'

/** The public cloud, whose facts are all known. */
export const PUBLIC_CLOUD: Cloud = {
  name: 'AzurePublicCloud',
  title: 'the public cloud',
  facts: {
    resourceManager: 'https://management.azure.com',
    authority: 'https://login.microsoftonline.com',
    firstIssuer: 'https://sts.windows.net',
    portal: 'https://portal.azure.com',
    storageSuffix: 'core.windows.net',
    registrySuffix: 'azurecr.io',
    imageRegistry: 'mcr.microsoft.com',
    binaryMirror: 'https://acs-mirror.azureedge.net',
    ubuntuGallery: 'AKSUbuntu-38d80f77-467a-481f-a8d4-09b6d4220bd2',
    azureLinuxGallery: 'AKSAzureLinux-f7c7cda5-1c9a-4bdc-a222-9614c968580b',
    gallerySubscriptionId: '109a5e88-712a-48ae-9078-9ca8b3c81345',
    prices: 'https://prices.azure.com',
  },
}

const NOTHING_KNOWN: CloudRow['facts'] = {
  ...{ resourceManager: undefined, authority: undefined, firstIssuer: undefined, portal: undefined, storageSuffix: undefined },
  ...{ registrySuffix: undefined, imageRegistry: undefined, binaryMirror: undefined, prices: undefined },
  ...{ ubuntuGallery: undefined, azureLinuxGallery: undefined, gallerySubscriptionId: undefined },
}
const unknown = (name: string, title: string, regions: RegExp): CloudRow => ({ name, title, regions, facts: NOTHING_KNOWN })

/**
 * The other clouds. Names and regions: Azure/AgentBaker, GetCloudTargetEnv of pkg/agent/utils.go and pkg/agent/datamodel/sig_config.go (2026-08-21).
 * Endpoints: the cloud profiles of the Azure CLI and of Az.Accounts. No public source names the galleries of node images there, and the retail price
 * list has no prices of these clouds (Azure/karpenter-provider-azure#1120, #1149).
 */
const OTHER_CLOUDS: readonly CloudRow[] = [
  {
    name: 'AzureUSGovernmentCloud',
    title: 'Azure US Government',
    regions: /^us(gov|dod)/,
    facts: {
      ...NOTHING_KNOWN,
      resourceManager: 'https://management.usgovcloudapi.net',
      authority: 'https://login.microsoftonline.us',
      portal: 'https://portal.azure.us',
      storageSuffix: 'core.usgovcloudapi.net',
      registrySuffix: 'azurecr.us',
    },
  },
  {
    name: 'AzureChinaCloud',
    title: 'Azure China',
    regions: /^china/,
    facts: {
      ...NOTHING_KNOWN,
      resourceManager: 'https://management.chinacloudapi.cn',
      authority: 'https://login.chinacloudapi.cn',
      portal: 'https://portal.azure.cn',
      storageSuffix: 'core.chinacloudapi.cn',
      registrySuffix: 'azurecr.cn',
    },
  },
  unknown('AzureGermanCloud', 'Azure Germany', /^germany(central|northeast)$/),
  unknown('AzureGermanyCloud', 'Delos Cloud', /^delos/),
  unknown('AzureBleuCloud', 'Bleu', /^bleu/),
  unknown('AzureSingaporeCloud', 'the cloud of Singapore', /^singapore/),
  unknown('USNatCloud', 'Azure Government Top Secret', /^usnat/),
  unknown('USSecCloud', 'Azure Government Secret', /^ussec/),
]
/** Every cloud with what is known of it. The public cloud is the last. */
export const CLOUDS: readonly CloudRow[] = [...OTHER_CLOUDS, { ...PUBLIC_CLOUD, regions: undefined }]

/** Why machines of a region cannot be made: the cloud of the region, and the facts about it that are not known. Undefined if all are known. */
export function cloudProblem(location: string): string | undefined {
  const row = rowOf(location)
  const missing = factNames.filter((fact) => row.facts[fact] === undefined).map((fact) => FACT_WORDS[fact])
  if (missing.length === 0) return undefined
  return `region ${location} is in ${row.title}, and Joiner does not know of this cloud: ${missing.join(', ')}`
}

/** The cloud of a region. Callers have asked `cloudProblem` before. */
export function cloudOf(location: string): Cloud {
  const { name, title, facts } = rowOf(location)
  if (!isComplete(facts)) throw new InternalError(`a machine is made in region ${location} of ${title}, whose facts are not known`)
  return { name, title, facts }
}

/** What is known of the cloud of a region. */
export function cloudFacts(location: string): CloudRow['facts'] {
  return rowOf(location).facts
}

/** The facts about the cloud with an endpoint, as far as they are known. Undefined if no cloud has it. */
export function cloudWith(fact: 'resourceManager' | 'authority', url: string): CloudRow['facts'] | undefined {
  const host = hostOf(url)
  return CLOUDS.find(({ facts }) => facts[fact] !== undefined && hostOf(facts[fact]) === host)?.facts
}

/** Reports whether an address is of this machine, as those of the local stack are. */
function isLoopback(url: string): boolean {
  return /^https?:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?(\/|$)/i.test(url)
}

/** The resource that a token for an endpoint of ARM is for. The local stack stands for the public cloud. Undefined if no cloud has the endpoint. */
export function armAudience(endpoint: string): string | undefined {
  return isLoopback(endpoint) ? PUBLIC_CLOUD.facts.resourceManager : cloudWith('resourceManager', endpoint)?.resourceManager
}

/** The resource that a token for a registry is for: ARM of its cloud. Undefined if it is no registry of Azure. */
export function registryAudience(host: string): string | undefined {
  const has = ({ facts }: CloudRow): boolean =>
    facts.registrySuffix !== undefined && host.toLowerCase().endsWith(`.${facts.registrySuffix}`)
  return CLOUDS.find(has)?.facts.resourceManager
}

const factNames = ((names: object): readonly (keyof CloudFacts)[] => Object.keys(names).filter(isFact))(FACT_WORDS)

function isFact(name: string): name is keyof CloudFacts {
  return Object.hasOwn(FACT_WORDS, name)
}

function rowOf(location: string): CloudRow {
  const region = location.toLowerCase().replaceAll(' ', '')
  return OTHER_CLOUDS.find(({ regions }) => regions?.test(region)) ?? { ...PUBLIC_CLOUD, regions: undefined }
}

function isComplete(facts: CloudRow['facts']): facts is CloudFacts {
  return factNames.every((fact) => facts[fact] !== undefined)
}

/** Host and port, without the scheme and in lower case. The core has no URL. */
function hostOf(url: string): string {
  return (/^[a-z]+:\/\/([^/?#]+)/i.exec(url)?.[1] ?? '').toLowerCase()
}
