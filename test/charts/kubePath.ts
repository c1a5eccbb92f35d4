import type { Manifest } from './manifest.ts'

/** Kinds of the chart whose plural is not the kind with an s. */
const PLURALS: { readonly [kind: string]: string } = {
  NetworkPolicy: 'networkpolicies',
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
}

/** Where objects of this kind and namespace are created. */
export function collectionPath({ apiVersion, kind, metadata }: Manifest): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const plural = PLURALS[kind] ?? `${kind.toLowerCase()}s`
  return metadata.namespace === undefined ? `${root}/${plural}` : `${root}/namespaces/${metadata.namespace}/${plural}`
}

export function objectPath(manifest: Manifest): string {
  return `${collectionPath(manifest)}/${manifest.metadata.name}`
}
