import { describe, expect, it } from '@jest/globals';
import { ReviewScopeText, reviewScopeText } from './review-scope-form.js';

const read = (text: string) => ReviewScopeText.parse(text);

describe('a review scope in a form', () => {
  it('consists of departments, roles, or roles in a department, on lines or with commas', () => {
    const reviewScope = [{ department: 'platform' }, { role: 'ci' }, { department: 'shop', role: 'backend' }];
    expect(read(' platform \n:ci\r\n\n shop : backend ')).toEqual(reviewScope);
    expect(read('platform, :ci; shop:backend')).toEqual(reviewScope);
    expect(read(reviewScopeText(reviewScope))).toEqual(reviewScope);
  });

  it('is the whole organisation if the field is empty', () => {
    expect([read(''), read(' \n , ')]).toEqual([null, null]);
    expect(reviewScopeText(null)).toBe('');
  });

  it('names an invalid part', () => {
    const { error } = ReviewScopeText.safeParse('platform\n:\n<b>:ci');
    expect(error?.issues.map(({ path }) => path)).toEqual([[1], [2, 'department']]);
    expect(ReviewScopeText.safeParse(Array(51).fill('a').join()).success).toBe(false);
  });
});
