import { parseAllDocuments } from 'yaml'
import { ownValue } from '../shared/base/values.ts'
import { KUBE_YAML } from '../shared/wire/kube/kubeYaml.ts'

/** A Kubernetes object as files and charts hold it. */
export type Manifest = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

/** Kinds whose plural is not the kind with an added s. */
const PLURALS: { readonly [kind: string]: string } = {
  AKSNodeClass: 'aksnodeclasses',
  NetworkPolicy: 'networkpolicies',
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
}

/** The objects of a YAML text, in order. */
export function parseManifests(text: string): readonly Manifest[] {
  return parseAllDocuments(text, KUBE_YAML)
    .map((document): unknown => document.toJS())
    .filter(isManifest)
}

/** Returns the path at which objects of this kind and namespace are created. */
export function collectionPath({ apiVersion, kind, metadata }: Manifest): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const plural = ownValue(PLURALS, kind) ?? `${kind.toLowerCase()}s`
  return metadata.namespace === undefined ? `${root}/${plural}` : `${root}/namespaces/${metadata.namespace}/${plural}`
}

export function objectPath(manifest: Manifest): string {
  return `${collectionPath(manifest)}/${manifest.metadata.name}`
}

function isManifest(value: unknown): value is Manifest {
  return typeof value === 'object' && value !== null && 'kind' in value && 'apiVersion' in value && 'metadata' in value
}
