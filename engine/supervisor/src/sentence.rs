//! Sentences for people: where a value is not good, and with texts of somebody else's.

/// Characters of a sentence: what people still read, and more than any of ours needs.
const LONGEST: usize = 2000;
/// Of a word in it, such as a path.
const LONGEST_WORD: usize = 400;
/// What is left of a longer one.
const KEPT: usize = 80;

/// The sentence with both ends of words and of texts that are long: it begins with what is wrong and
/// ends with what to type.
pub fn shortened(sentence: &str) -> String {
    let short = |word: &str| match word.char_indices().nth(LONGEST_WORD) {
        Some(_) => cut(word, KEPT),
        None => word.to_owned(),
    };
    let said: String = sentence.split_inclusive(char::is_whitespace).map(short).collect();
    cut(&said, LONGEST)
}

fn cut(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let end = most / 3;
    let head: String = text.chars().take(most - end).collect();
    let tail: String = text.chars().skip(count - end).collect();
    format!("{head}… ({count} characters) …{tail}")
}

/// The sentence where it is not good.
pub fn check(good: bool, sentence: impl FnOnce() -> String) -> Result<(), String> {
    if good { Ok(()) } else { Err(sentence()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_sentences_stay_as_they_are() {
        let said = "case 3: there is no provider opensl";
        assert_eq!(shortened(said), said);
    }

    #[test]
    fn long_words_and_long_texts_lose_their_middle() {
        let word = "ö".repeat(20_000_000);
        let said = shortened(&format!("there is no provider {word}: name another"));
        assert!(said.starts_with("there is no provider ö") && said.ends_with("ö: name another"));
        assert!(said.chars().count() < 200, "{said}");
        let words = shortened(&"word ".repeat(1_000_000));
        assert!(words.starts_with("word word") && words.chars().count() < 2100);
    }
}
