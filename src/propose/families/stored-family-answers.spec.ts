import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type FamilyModel, NOTHING_ASKED, startFamilyModel } from '../../../test/support/family-model.js';
import {
  DOSSIER,
  FAMILY_LESSON,
  familyLesson,
  familyPrint,
  familyQuestion,
  PREDICATE,
  saysOfFamily,
} from '../../../test/support/family-questions.js';
import { ANSWERS, type MessagesApi, startMessagesApi } from '../../../test/support/messages-api.js';
import type { Constants } from '../../platform/config/constants.js';

describe('the stored answer about a family', () => {
  let api: MessagesApi;
  let family: FamilyModel;
  beforeAll(async () => {
    api = await startMessagesApi();
  });
  afterEach(async () => {
    api.forget();
    await family.services.close();
  });
  afterAll(() => api.close());
  const start = async (...settings: [environment?: Record<string, string>, constants?: Partial<Constants>]) => {
    family = await startFamilyModel(api, ...settings);
    return family;
  };

  it('answers the same prompt again, without a call', async () => {
    const { ask, extended, stored, journalled } = await start();
    api.answer(saysOfFamily(familyLesson()));
    const [first] = (await ask(familyQuestion())).fresh;
    const replayed = await ask(familyQuestion({ executions: 50 }), familyQuestion({ family: familyPrint('2') }));
    expect(replayed).toEqual({
      asked: 0,
      waiting: 0,
      because: null,
      fresh: [
        { ...first, executions: 50 },
        { ...first, family: familyPrint('2') },
      ],
    });
    expect([api.requests.length, extended(), (await stored()).length]).toEqual([1, 1, 2]);
    expect(await journalled()).toMatchObject([false, true, true].map((replayed) => ({ data: { replayed } })));
    expect(await ask(familyQuestion({ executions: 50 }), familyQuestion({ family: familyPrint('2') }))).toEqual(
      NOTHING_ASKED,
    );
  });

  it('is asked for again if it is damaged, and repaired', async () => {
    const { services, model, ask, stored } = await start();
    api.answer(saysOfFamily(familyLesson()));
    await ask(familyQuestion());
    await services.database.client.familyAnswer.updateMany({ data: { answer: [1] } });
    expect(await model.known([familyPrint('1')])).toEqual(new Map());
    expect(await ask(familyQuestion())).toMatchObject({ asked: 1, fresh: [{ answer: familyLesson() }] });
    expect(await ask(familyQuestion())).toEqual(NOTHING_ASKED);
    expect(await stored()).toHaveLength(1);
  });
});

describe('another predicate for a stored lesson', () => {
  let api: MessagesApi;
  let family: FamilyModel;
  beforeAll(async () => {
    api = await startMessagesApi();
  });
  afterEach(async () => {
    api.forget();
    await family.services.close();
  });
  afterAll(() => api.close());
  const start = async (...settings: [environment?: Record<string, string>, constants?: Partial<Constants>]) => {
    family = await startFamilyModel(api, ...settings);
    return family;
  };

  const predicate = { ...PREDICATE, within: 3 };
  const other = familyLesson({ predicate, example: { number: 2, worked: 2 }, quotes: ['python'], title: 'Other' });
  const rewrite = { answer: familyLesson(), problem: 'It counts other calls.' };

  it('keeps the texts and the dossier of its lesson, and is asked once', async () => {
    const { model, ask, stored } = await start();
    api.answer(saysOfFamily(familyLesson()), saysOfFamily(other));
    await ask(familyQuestion());
    const grown = familyQuestion({
      executions: 30,
      dossier: { ...DOSSIER, executions: 30 },
      learnedFrom: 'b',
      rewrite,
    });
    const { fresh } = await ask(grown);
    const lesson = { ...FAMILY_LESSON, predicate, example: { number: 2, worked: 2 }, quotes: ['python'] };
    expect(fresh).toMatchObject([
      { executions: 22, dossier: DOSSIER, learnedFrom: 'a', rewritten: true, answer: { lesson } },
    ]);
    expect(api.requests[1]?.body.messages[0]?.content).toContain(rewrite.problem);
    expect((await model.known([grown.family])).get(grown.family)).toMatchObject({
      rewritten: true,
      answer: { lesson },
    });
    expect(await ask(grown)).toEqual(NOTHING_ASKED);
    expect((await stored()).map(({ outcome }) => outcome).sort()).toEqual(['rewritten', 'written']);
  });

  it('leaves the lesson as it was if it has none, and is not asked again', async () => {
    const { ask } = await start();
    api.answer(saysOfFamily(familyLesson()), ANSWERS.prose());
    await ask(familyQuestion());
    const again = familyQuestion({ rewrite });
    expect(await ask(again)).toMatchObject({ asked: 1, fresh: [{ rewritten: true, answer: familyLesson() }] });
    expect(await ask(again)).toEqual(NOTHING_ASKED);
  });
});
