import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { askRegistry } from '../../cli/preflight/askRegistry.ts'
import { chartImage, imageText } from '../../cli/preflight/shimImage.ts'
import { repositoryRoot } from '../../scripts/floors.ts'
import { type HookDeps, HookFailure } from './hookDeps.ts'

const BUNDLE = 'dist/shim'
const DOCKERFILE = 'shim/Dockerfile'
const NAME = 'joiner/shim'

/**
 * Builds the image of the shim in an Azure container registry, from the bundle that the deployment of the app built. The tag holds the digest of the files, so that
 * the same files are built once, and others get another tag. Returns the name of the image.
 */
export async function buildShimImage(
  { run, access, print }: Pick<HookDeps, 'run' | 'access' | 'print'>,
  registry: string,
  root = repositoryRoot,
): Promise<string> {
  const bundle = join(root, BUNDLE)
  const files = existsSync(bundle) ? readdirSync(bundle).filter((file) => !file.endsWith('.map')) : []
  if (files.length === 0) throw new HookFailure(`PREFLIGHT.IMAGE   ${BUNDLE} is not built; run: npm run build, then: azd up`)
  const sources = [DOCKERFILE, ...files.toSorted().map((file) => `${BUNDLE}/${file}`)]
  const tag = `${chartImage().tag}-${digestOf(root, sources)}`
  const server = await loginServer(run, registry)
  const image = { repository: `${server}/${NAME}`, tag }
  if ((await askRegistry(access, image)).state === 'found') return imageText(image)
  const context = mkdtempSync(join(tmpdir(), 'joiner-image-'))
  try {
    mkdirSync(join(context, BUNDLE), { recursive: true })
    for (const path of sources) copyFileSync(join(root, path), join(context, path === DOCKERFILE ? 'Dockerfile' : path))
    const { code, out, errors } = await run('az', ['acr', 'build', '--registry', registry, '--image', `${NAME}:${tag}`, context])
    if (code !== 0)
      throw new HookFailure(`PREFLIGHT.IMAGE   az acr build --registry ${registry}: ${(errors || out).trim()}; then run: azd up`)
  } finally {
    rmSync(context, { recursive: true, force: true })
  }
  print(`ok    image ${imageText(image)} is built`)
  return imageText(image)
}

function digestOf(root: string, paths: readonly string[]): string {
  const hash = createHash('sha256')
  for (const path of paths) hash.update(path).update(readFileSync(join(root, path)))
  return hash.digest('hex').slice(0, 12)
}

async function loginServer(run: HookDeps['run'], registry: string): Promise<string> {
  const { code, out, errors } = await run('az', ['acr', 'show', '--name', registry, '--query', 'loginServer', '--output', 'tsv'])
  const server = out.trim()
  if (code === 0 && server !== '') return server
  throw new HookFailure(`PREFLIGHT.IMAGE   az acr show --name ${registry}: ${errors.trim() || 'no answer'}`)
}
