import type { Context } from '../../context.ts';
import { permit } from '../../core/permissions.ts';
import type { ModelChoice } from '../../model/service.ts';

/** A model that agents may choose. `restsFor`: how many seconds its circuit breaker stays open; 0 if it is closed. */
export type AvailableModel = ModelChoice & { restsFor: number };

/** Returns the models that agents may choose, the default first. */
export function listModels(context: Context): AvailableModel[] {
  permit(context, 'agents.read');
  return context.model.choices.map((choice) => ({
    ...choice,
    restsFor: Math.ceil(choice.breaker.openForMs() / 1_000),
  }));
}
