import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Upgrade = {
  readonly version: string
  /** The image by its digest: `ghcr.io/joiner/shim@sha256:...`. */
  readonly image: string
}

/** Returns the page that a release carries: the order of the upgrade, and the changes. */
export function upgradeNotes(root: string, { version, image }: Upgrade): string {
  return `# Joiner ${version}

The image of the shim is \`${image}\`. The charts of this version name it.

## Upgrade

Keep this order, so that each part finds what it needs from the others. It is the order of docs/upgrade.md.

1. Check the files:

   \`\`\`
   sha256sum --check SHA256SUMS
   \`\`\`

2. Upgrade the definitions of the custom resources. No custom resource is deleted. Without Helm: \`kubectl apply --server-side -f joiner-crds-${version}.yaml\`.

   \`\`\`
   helm upgrade --install joiner-crd joiner-crd-${version}.tgz --namespace joiner
   \`\`\`

3. Deploy the app. A decision that is interrupted is continued by the next one. The app comes before the shim, since an older app refuses the posts of a newer shim.

   \`\`\`
   az functionapp deployment source config-zip --resource-group GROUP --name NAME --src joiner-app-${version}.zip
   \`\`\`

4. Upgrade the shim. One replica leads and the other takes over, so that nothing is missed.

   \`\`\`
   helm upgrade joiner joiner-${version}.tgz --namespace joiner --reset-then-reuse-values
   \`\`\`

To go back, take the parts of the version before in the opposite order, without the definitions: newer definitions serve older parts.

## What changed

${changesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version)}
`
}

/** Returns the section of a version in a changelog. A version without a section gets the section of unreleased changes. */
export function changesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1)
  const section = sections.find((each) => each.startsWith(`[${version}]`)) ?? sections.find((each) => each.startsWith('[Unreleased]'))
  return section === undefined ? 'Nothing that a user can notice.' : section.slice(section.indexOf('\n')).trim()
}
