// The internet of the person who runs azd: at first Azure and the registry of releases, and the names of the installation once it is there.
import { chartImage, imageText } from '../../../cli/preflight/shimImage.ts'
import { serve } from '../../../local/azure/httpServer.ts'
import { createRegistryServer } from '../../../local/azure/registry/registryServer.ts'
import { type Destination, type Internet, type NameService, startInternet } from '../../../local/internet/startInternet.ts'
import type { World } from './startWorld.ts'

export interface DeployerPlace {
  readonly internet: Internet
  /** Names that are there before anything is installed, as everybody sees them. */
  readonly fixed: Readonly<Record<string, Destination>>
  /** The virtual network in which the machine stands. Undefined on the internet, where it stands at first. */
  networkId(): string | undefined
  /** Takes the machine into a virtual network, or out of all. */
  moveTo(networkId: string | undefined): void
  /** From now on, `names` answers for the names that are not fixed. */
  enter(names: NameService): void
}

/** azd asks for the list of its extensions here, and goes on without an answer. */
const SHORT_LINKS = 'aka.ms'

type Surroundings = Pick<World, 'azure' | 'authority' | 'issuer' | 'parts'>

export async function startDeployerPlace({ azure, authority, issuer, parts }: Surroundings): Promise<DeployerPlace> {
  const ca = azure.caCertificate
  const image = imageText(chartImage())
  const registry = await serve(createRegistryServer({ images: new Set([image]) }), {})
  await parts.own(() => registry.close())
  const fixed: Readonly<Record<string, Destination>> = {
    'management.azure.com': { url: azure.armUrl, ca },
    'login.microsoftonline.com': { url: azure.authorityUrl, ca },
    [new URL(issuer.name).hostname]: { url: issuer.url },
    'prices.azure.com': { url: azure.pricesUrl },
    // Where a release is published.
    [image.split('/')[0] ?? '']: { url: registry.url },
  }
  let ofInstallation: NameService = () => undefined
  let network: string | undefined
  const internet = await startInternet(authority, (host) => {
    if (host === SHORT_LINKS) return { status: 404, why: 'no extensions of azd are rehearsed' }
    return fixed[host] ?? ofInstallation(host)
  })
  await parts.own(() => internet.close())
  return {
    internet,
    fixed,
    networkId: () => network,
    moveTo: (networkId) => {
      network = networkId
    },
    enter: (names) => {
      ofInstallation = names
    },
  }
}
