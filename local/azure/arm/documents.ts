import type { Arm, ArmRequest } from './arm.ts'
import { type ArmAnswer, notFound } from './armAnswer.ts'
import type { Document } from './armState.ts'
import { page } from './page.ts'

/** Resource types that can only be read. */
export const DOCUMENT_TYPES = [
  'managedClusters',
  'virtualNetworks',
  'loadBalancers',
  'networkSecurityGroups',
  'diskEncryptionSets',
] as const
export type DocumentType = (typeof DOCUMENT_TYPES)[number]

export const PROVIDERS: { readonly [Type in DocumentType]: string } = {
  managedClusters: 'Microsoft.ContainerService',
  virtualNetworks: 'Microsoft.Network',
  loadBalancers: 'Microsoft.Network',
  networkSecurityGroups: 'Microsoft.Network',
  diskEncryptionSets: 'Microsoft.Compute',
}

/** Returns group and type of a resource id in lower case, and its name as it is. */
export function placeOf(id: string): { readonly group: string; readonly type: string; readonly name: string } {
  const [, , , , group = '', , , type = '', name = ''] = id.split('/')
  return { group: group.toLowerCase(), type: type.toLowerCase(), name }
}

function ofType(arm: Arm, group: string, type: DocumentType): readonly Document[] {
  return [...arm.state.documents.values()].filter(({ id }) => {
    const place = placeOf(id)
    return place.group === group.toLowerCase() && place.type === type.toLowerCase()
  })
}

export function getDocument(type: DocumentType) {
  return (arm: Arm, request: ArmRequest): ArmAnswer => {
    const found = ofType(arm, request.group, type).find(({ id }) => placeOf(id).name.toLowerCase() === request.name.toLowerCase())
    if (found === undefined) return notFound(`${PROVIDERS[type]}/${type}`, request.name, request.group)
    return { status: 200, body: whole(found, type) }
  }
}

export function listDocuments(type: DocumentType) {
  return (arm: Arm, request: ArmRequest): ArmAnswer =>
    page(
      arm,
      request,
      ofType(arm, request.group, type).map((each) => whole(each, type)),
    )
}

function whole(document: Document, type: DocumentType): object {
  const told = Object.fromEntries(Object.entries(document).filter(([member]) => member !== 'kubeconfig'))
  return { name: placeOf(document.id).name, type: `${PROVIDERS[type]}/${type}`, ...told }
}
