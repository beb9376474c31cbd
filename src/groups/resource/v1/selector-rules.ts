// What must hold of the expressions that select devices. Loads the language: import it when there is an object to check.

import { isSameJson } from '../../../base/json/json.ts';
import { WorkMeter } from '../../../base/time/work-meter.ts';
import { type CompileErrors, compile, type Program } from '../../../cel/compile.ts';
import { perCallLimit } from '../../../cel/cost.ts';
import type { Environment } from '../../../cel/environment.ts';
import { estimateCost } from '../../../cel/estimate.ts';
import { declaredName } from '../../../cel/types.ts';
import { type EffectiveVersions, ownVersions } from '../../../meta/effective-versions.ts';
import { forbiddenField, internalAt, invalidValue } from '../../../meta/field-errors.ts';
import type { FieldError } from '../../../meta/status.ts';
import type { ExpressionRun } from '../../../schema/strategy.ts';
import type { Infer } from '../../../schema/types.ts';
import type { ValidationErrors } from '../../rules.ts';
import type { deviceSelector } from './device-claim.ts';
import { type ClaimSpec, maxEntries, maxExpression } from './device-claim-rules.ts';
import { largestPart, selectorEnvironment } from './selector-environment.ts';

type Selectors = readonly Infer<typeof deviceSelector>[];

/** Selectors that were there before stay, all of them or none. */
export function validateChangedSelectors(
  selectors: Selectors,
  old: Selectors | undefined,
  at: string,
  versions?: EffectiveVersions,
  run?: ExpressionRun,
): ValidationErrors {
  return isSameJson(selectors, old) ? [] : validateSelectors(selectors, at, termsOf(versions, run));
}

/** Every selector of a claim. */
export function validateClaimSelectors(
  { devices }: ClaimSpec,
  at: string,
  versions?: EffectiveVersions,
  run?: ExpressionRun,
): ValidationErrors {
  const terms = termsOf(versions, run);
  return short(devices?.requests).flatMap(({ exactly, firstAvailable }, index) => {
    const place = `${at}.devices.requests[${index}]`;
    // a request that says both is refused for that alone
    if (exactly && short(firstAvailable).length > 0) return [];
    return [
      ...validateSelectors(exactly?.selectors, `${place}.exactly.selectors`, terms),
      ...short(firstAvailable).flatMap(({ selectors }, choice) =>
        validateSelectors(selectors, `${place}.firstAvailable[${choice}].selectors`, terms),
      ),
    ];
  });
}

/** What selectors may use, and where the work on them is counted. */
interface Terms {
  readonly environment: Environment;
  readonly meter: WorkMeter;
}

const termsOf = (versions: EffectiveVersions | undefined, run: ExpressionRun | undefined): Terms => ({
  environment: selectorEnvironment(versions ?? ownVersions),
  meter: new WorkMeter(() => run?.moveIfPossible?.()),
});

/** Lists that are too long are refused without a look into them. */
const short = <T>(items: readonly T[] | null | undefined): readonly T[] =>
  items && items.length <= maxEntries ? items : [];

const validateSelectors = (selectors: Selectors | undefined, at: string, terms: Terms): ValidationErrors =>
  short(selectors).flatMap(({ cel }, index) =>
    cel ? validateSelector(cel.expression ?? '', `${at}[${index}].cel.expression`, terms) : [],
  );

function validateSelector(expression: string, at: string, { environment, meter }: Terms): ValidationErrors {
  if (Buffer.byteLength(expression) > maxExpression) return [];
  const compiled = compile(expression, environment, meter);
  return 'errors' in compiled ? [faultOf(compiled.errors, expression, at)] : validateProgram(compiled.program, at);
}

const faultOf = ({ detail, type }: CompileErrors, expression: string, at: string): FieldError =>
  type === undefined ? invalidValue(at, expression, detail) : internalAt(at, detail);

/** An attribute is a result too: it may turn out to be a bool. */
function validateProgram({ type, checked, source }: Program, at: string): ValidationErrors {
  if (type.is !== 'bool' && type.is !== 'any')
    return [invalidValue(at, source, `must evaluate to bool or the unknown type, not ${declaredName(type)}`)];
  const { max } = estimateCost(checked, largestPart);
  return max > perCallLimit ? [forbiddenField(at, 'too complex, exceeds cost limit')] : [];
}
