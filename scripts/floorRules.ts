// Turns floors.json into rules of dependency-cruiser. Everything that floors.json does not allow is forbidden.
import type { IConfiguration } from 'dependency-cruiser'
import { type Floor, type Floors, type Layers, TEST_FILES } from './floors.ts'

type Rule = NonNullable<IConfiguration['forbidden']>[number]
type To = Extract<Rule, { readonly to: unknown }>['to']

const NODE_MODULES = '(^|/)node_modules/'

/** Returns the whole configuration: the rules, and the options without which the cruise sees nothing. */
export function cruiserConfiguration(floors: Floors): IConfiguration {
  return {
    forbidden: [...floors.floors.flatMap((floor) => rulesOfFloor(floor, floors)), ...rulesOfTree(floors)],
    options: {
      parser: 'swc',
      tsPreCompilationDeps: true,
      preserveSymlinks: true,
      doNotFollow: { path: 'node_modules' },
      detectProcessBuiltinModuleCalls: true,
      enhancedResolveOptions: {
        exportsFields: ['exports'],
        conditionNames: ['import', 'node', 'default', 'types'],
        extensions: ['.ts', '.mjs', '.js', '.json', '.d.ts'],
      },
    },
  }
}

function rulesOfFloor(floor: Floor, floors: Floors): Rule[] {
  const from = { path: `^${escaped(floor.folder)}/`, pathNot: TEST_FILES }
  const rules: Rule[] = [
    forbid(
      `${floor.name}: floors`,
      `${floor.folder} may import ${floor.imports.join(', ') || 'nothing else of ours'} (floors.json)`,
      from,
      {
        path: foldersForbiddenTo(floor, floors),
      },
    ),
    forbid(`${floor.name}: packages`, `${floor.folder} may import ${floor.packages.join(', ') || 'no package'} (floors.json)`, from, {
      path: NODE_MODULES,
      pathNot: floor.packages.map((name) => `${NODE_MODULES}(@types/)?${packagePattern(name)}`),
    }),
    ...partRules(floor),
    ...(floor.layers ?? []).flatMap(layerRules),
  ]
  // The rule goes by dependency type, because the cruise drops the `node:` prefix of a built-in module.
  if (!floor.builtins)
    rules.push(forbid(`${floor.name}: node`, `${floor.folder} runs without Node's modules`, from, { dependencyTypes: ['core'] }))
  if (floor.devPackages !== true) {
    rules.push(
      forbid(`${floor.name}: dev packages`, `${floor.folder} ships; move the package to dependencies`, from, {
        dependencyTypes: ['npm-dev'],
      }),
    )
  }
  if (floor.composes !== undefined) rules.push(compositionRule(floor, floor.composes, floors))
  return rules
}

function compositionRule(floor: Floor, composes: NonNullable<Floor['composes']>, floors: Floors): Rule {
  const folders = floors.floors.filter((other) => covers(composes.floors, other.name)).map((other) => `^${escaped(other.folder)}/`)
  return forbid(
    `${floor.name}: composition`,
    `only ${composes.only.join(', ')} may import ${composes.floors.join(', ')}`,
    { path: `^${escaped(floor.folder)}/`, pathNot: [TEST_FILES, ...composes.only.map((file) => `^${escaped(file)}$`)] },
    { path: folders },
  )
}

/** Rules for the parts of a floor. They use `reachable`, so that a file between two parts is no way around them. */
function partRules(floor: Floor): Rule[] {
  const parts = Object.entries(floor.parts ?? {})
  return parts.flatMap(([part, allowed]) => {
    const others = parts.map(([name]) => name).filter((name) => name !== part && !allowed.includes(name))
    return others.map((other) =>
      forbid(
        `${floor.name}: ${part} knows nothing of ${other}`,
        `${floor.folder}/${part} may use ${allowed.join(', ') || 'no other part'} (floors.json)`,
        { path: `^${escaped(floor.folder)}/${part}/`, pathNot: TEST_FILES },
        { path: `^${escaped(floor.folder)}/${other}/`, reachable: true },
      ),
    )
  })
}

/** Rules for the layers of a floor. Every folder must be listed: a file in an unlisted folder would be under no rule. */
function layerRules({ folder, fromBottom }: Layers): Rule[] {
  const filesOf = (layer: string): string => `^${escaped(layer === '.' ? folder : `${folder}/${layer}`)}/[^/]+$`
  return fromBottom.map((layer, at) =>
    forbid(
      `${folder}: ${layer} knows only what is below it`,
      `${folder}/${layer} may import ${fromBottom.slice(0, at).join(', ') || 'no other folder of it'} (layers in floors.json)`,
      { path: filesOf(layer), pathNot: TEST_FILES },
      { path: `^${escaped(folder)}/`, pathNot: fromBottom.slice(0, at + 1).map(filesOf) },
    ),
  )
}

function rulesOfTree(floors: Floors): Rule[] {
  const shipped = floors.floors.map((floor) => `^${escaped(floor.folder)}/`)
  return [
    forbid('no cycle', 'also one made of type imports: split the file or move the shared type down', {}, { circular: true }),
    forbid('no unresolved import', 'the file or package does not exist', {}, { couldNotResolve: true, pathNot: '^(cloudflare|bun):' }),
    forbid('no unlisted package', 'add it to package.json', { path: shipped }, { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] }),
    forbid(
      'nothing imports tests',
      'tests, benches and scripts stand above everything',
      { path: shipped, pathNot: TEST_FILES },
      {
        path: [...floors.outside.folders.map((folder) => `^${folder}/`), TEST_FILES],
      },
    ),
  ]
}

function foldersForbiddenTo(floor: Floor, { floors }: Floors): string[] {
  return floors
    .filter((other) => other.name !== floor.name && !covers(floor.imports, other.name))
    .map((other) => `^${escaped(other.folder)}/`)
}

/** Reports whether the names cover a name. `adapters` covers `adapters/azure`. */
function covers(names: readonly string[], name: string): boolean {
  return names.some((allowed) => name === allowed || name.startsWith(`${allowed}/`))
}

function forbid(name: string, comment: string, from: Rule['from'], to: To): Rule {
  // The union of rule shapes cannot be built from its parts without a cast.
  return { name, comment, severity: 'error', from, to } as Rule
}

function packagePattern(name: string): string {
  return name.endsWith('*') ? escaped(name.slice(0, -1)) : `${escaped(name)}/`
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
