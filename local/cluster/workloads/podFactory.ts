import { stableName } from '../../../shared/base/stableHash.ts'
import type { Pod, PodTemplate, Stored } from '../client/objects.ts'
import type { Resource } from '../client/resource.ts'

/** Digits and letters without vowels, as in generated names. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'

/** Returns the pod that a controller creates from its template. */
export function podFrom(
  template: PodTemplate,
  owner: { readonly resource: Resource<Stored>; readonly object: Stored },
  extra: { readonly labels?: { readonly [key: string]: string }; readonly spec?: Partial<Pod['spec']> } = {},
): object {
  const { metadata } = owner.object
  return {
    metadata: {
      name: `${metadata.name.slice(0, 57)}-${randomSuffix()}`,
      namespace: metadata.namespace,
      labels: { ...template.metadata?.labels, ...extra.labels },
      ...(template.metadata?.annotations === undefined ? {} : { annotations: template.metadata.annotations }),
      ...(template.metadata?.finalizers === undefined ? {} : { finalizers: template.metadata.finalizers }),
      ownerReferences: [ownerReference(owner.resource, owner.object)],
    },
    spec: { ...template.spec, ...extra.spec },
  }
}

export function ownerReference(resource: Resource<Stored>, object: Stored): object {
  const { name, uid } = object.metadata
  return { apiVersion: resource.apiVersion, kind: resource.kind, name, uid, controller: true, blockOwnerDeletion: true }
}

export function templateHash(template: PodTemplate | undefined): string {
  return stableName(template, 10)
}

function randomSuffix(): string {
  let suffix = ''
  for (let index = 0; index < 5; index++) suffix += ALPHABET[Math.floor(Math.random() * ALPHABET.length)]
  return suffix
}
