// Checks the floors. Fails if the cruise saw fewer modules than the tree holds, because a gate that checks nothing must not pass.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser'
import { cruiserConfiguration } from './floorRules.ts'
import { type Floors, loadFloors, repositoryRoot, sourceFiles } from './floors.ts'

export type CruiseReport = { readonly modules: number; readonly errors: readonly string[] }

export async function cruiseTree(root: string, floors: Floors = loadFloors(root)): Promise<CruiseReport> {
  const { forbidden = [], options = {} } = cruiserConfiguration(floors)
  const folders = [...new Set([...floors.floors.map((floor) => floor.folder.split('/')[0] ?? ''), ...floors.outside.folders])]
  const present = folders.filter((folder) => existsSync(join(root, folder)))
  const { output } = await cruise(present, { ...options, baseDir: root, validate: true, ruleSet: { forbidden } })
  if (typeof output === 'string') return { modules: 0, errors: ['the cruise printed text instead of a result'] }
  return { modules: output.summary.totalCruised, errors: [...violations(output, forbidden), ...blindSpots(output, root)] }
}

/** Returns the violations. The result names only the broken rule; its comment, which says what to do, is in the rule. */
function violations(result: ICruiseResult, rules: readonly IForbiddenRuleType[]): string[] {
  return result.summary.violations.map(({ rule, from, to, cycle }) => {
    const path = cycle === undefined ? to : cycle.map((step) => step.name).join(' -> ')
    const comment = rules.find(({ name }) => name === rule.name)?.comment
    return `${rule.name}: ${from} -> ${path} (${comment})`
  })
}

/** Returns the files that the cruise should have seen and did not. */
function blindSpots(result: ICruiseResult, root: string): string[] {
  const files = sourceFiles(root).filter((file) => file.includes('/'))
  const seen = new Set(result.modules.map((module) => module.source))
  const unseen = files.filter((file) => !seen.has(file)).map((file) => `the cruise did not see ${file}`)
  if (files.length === 0 || result.summary.totalCruised === 0) return ['the cruise saw no module: nothing was checked']
  return [...unseen, ...blindParser(result)]
}

/** Reports a parser that read nothing: modules are listed, but without a single import. */
function blindParser(result: ICruiseResult): string[] {
  const own = result.modules.filter((module) => module.source.endsWith('.ts') && !module.source.includes('node_modules'))
  const imports = own.reduce((sum, module) => sum + module.dependencies.length, 0)
  return own.length > 1 && imports === 0 ? [`the cruise saw ${own.length} modules and not one import: its parser is blind`] : []
}

if (import.meta.main) {
  const { modules, errors } = await cruiseTree(repositoryRoot)
  for (const error of errors) console.error(error)
  console.log(`${modules} modules, ${errors.length} violations`)
  process.exitCode = errors.length > 0 ? 1 : 0
}
