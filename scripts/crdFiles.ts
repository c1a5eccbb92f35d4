// Generates the files of the CRD chart from the schemas.
import { stringify } from 'yaml'
import { KUBE_YAML } from '../shared/wire/kube/kubeYaml.ts'
import { definitionManifest } from '../shared/wire/schema/definitionManifest.ts'
import { RESOURCE_DEFINITIONS } from '../shared/wire/schema/definitions.ts'

export const CRD_FOLDER = 'charts/joiner-crd/templates'

const HEADER = '# Generated from shared/wire/schema by `npm run generate`. Do not edit.\n'

/**
 * The files are templates, so that an upgrade renews them. With this annotation the definitions outlive an uninstall, and so do the custom resources.
 */
const KEPT = { 'helm.sh/resource-policy': 'keep' }

export type GeneratedFile = { readonly path: string; readonly text: string }

export function crdFiles(): readonly GeneratedFile[] {
  return RESOURCE_DEFINITIONS.map((definition) => {
    const { apiVersion, kind, metadata, ...rest } = definitionManifest(definition)
    const manifest = { apiVersion, kind, metadata: { ...metadata, annotations: KEPT }, ...rest }
    const text = stringify(manifest, { ...KUBE_YAML, lineWidth: 0, aliasDuplicateObjects: false })
    return { path: `${CRD_FOLDER}/${manifest.metadata.name}.yaml`, text: `${HEADER}${text}` }
  })
}
